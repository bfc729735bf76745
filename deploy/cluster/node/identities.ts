import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../local/identity/make-certificates.ts';

export interface Identities {
  readonly server: Certificates;
  readonly admin: Certificates;
  /** Signs tokens of service accounts. */
  readonly tokenKey: string;
}

/** Of an API server at `addresses`, and of its administrator, below `folder`. */
export async function makeIdentities(folder: string, addresses: readonly string[]): Promise<Identities> {
  const at = (name: string) => join(folder, 'identity', name);
  mkdirSync(at('.'), { recursive: true, mode: 0o700 });
  const authority = at('authority.pem');
  const files = (name: string) => ({ authority, certificate: at(`${name}.pem`), key: at(`${name}-key.pem`) });
  const [server, admin, tokenKey] = [files('server'), files('admin'), at('tokens.pem')];
  const alsoNames = ['kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  await makeCertificates('node', authority, [
    { name: 'kubernetes', alsoNames, alsoAddresses: addresses, asClient: false, files: server },
    { name: 'administrator', organisation: 'system:masters', asClient: true, files: admin },
  ]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(tokenKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { server, admin, tokenKey };
}

/** Writes how a client reaches the API, as JSON, which is YAML, too; returns its path. */
export function writeKubeconfig(
  folder: string,
  server: string,
  { authority, certificate, key }: Certificates,
): string {
  const path = join(folder, 'kubeconfig');
  const name = 'node';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority': authority } }],
    users: [{ name, user: { 'client-certificate': certificate, 'client-key': key } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return path;
}
