import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createProxy, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTestAuthority } from '../../testing/index.ts';

const SOURCE = new URL('./issuers-file.ts', import.meta.url).href;
const CHILD_MS = 30_000;
const portOf = (server: Server) => (server.address() as AddressInfo).port;

it('an identity provider’s keys are fetched through the proxy that HTTPS_PROXY names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'issuers-proxy-'));
  const authority = await makeTestAuthority();
  const { publicKey } = generateKeyPairSync('ed25519');
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA', kid: 'a' };
  const provider = createHttps(await authority.issue({ hosts: ['login.test'] }), (_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })),
  ).listen(0, '127.0.0.1');
  const asked: string[] = [];
  const proxy = createProxy().listen(0, '127.0.0.1');
  // Only the proxy knows where the host is.
  proxy.on('connect', ({ url }, client) => {
    asked.push(url ?? '');
    const upstream = connect(portOf(provider), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
  });
  await Promise.all([once(provider, 'listening'), once(proxy, 'listening')]);
  const issuers = [
    {
      ...{ issuer: 'people', jwksUri: 'https://login.test/keys', roleClaim: 'groups' },
      ...{ roles: ['staff:viewer'], maxTokenMinutes: 60 },
    },
  ];
  writeFileSync(join(folder, 'issuers.json'), JSON.stringify(issuers));
  writeFileSync(join(folder, 'ca.pem'), authority.pem);
  const program = `const { readIssuers } = await import(${JSON.stringify(SOURCE)});
    const key = await readIssuers('issuers.json').get('people').keys({ alg: 'EdDSA', kid: 'a' }, {});
    console.log(key.type);`;
  const env = {
    PATH: process.env.PATH,
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  };
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    ...{ cwd: folder, env, timeout: CHILD_MS },
  });
  await expect(child).resolves.toMatchObject({ stdout: 'public\n' });
  expect(asked).toEqual(['login.test:443']);
  proxy.closeAllConnections();
  proxy.close();
  provider.close();
  rmSync(folder, { recursive: true });
});
