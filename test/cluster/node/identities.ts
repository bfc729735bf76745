import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Creates the credentials of an API server and its clients, as files below `parent`. */
export function makeIdentities(parent: string, server: string) {
  const folder = join(parent, 'identity');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const authority = join(folder, 'apiserver.crt');
  const token = randomBytes(32).toString('hex');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const name = 'node';
  return {
    /** Where the API server makes its certificate. */
    folder,
    authority,
    tokens: file('tokens.csv', `${token},administrator,administrator,system:masters\n`),
    tokenKey: file('tokens.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    kubeconfig: file(
      'kubeconfig',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name, cluster: { server, 'certificate-authority': authority } }],
        users: [{ name, user: { token } }],
        contexts: [{ name, context: { cluster: name, user: name } }],
        'current-context': name,
      }),
    ),
  };
}
