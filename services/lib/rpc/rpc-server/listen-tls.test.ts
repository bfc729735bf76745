import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { get } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls, { connect as connectTls, type TLSSocket } from 'node:tls';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { AccountService } from '@supplier/proto/account/v1/account';
import { type TlsFiles, tlsFiles } from '../../runtime/tls/index.ts';
import {
  createTestIssuer,
  eventually,
  makeTestAuthority,
  startTestProcess,
  type TestProcess,
  testConfig,
} from '../../testing/index.ts';
import { createRpcClient, rpcAccess } from '../rpc-client/index.ts';
import { CallerConnections } from './caller-connections.ts';
import { startRpcServer } from './index.ts';
import { listenTls } from './listen.ts';

const folder = mkdtempSync(join(tmpdir(), 'listen-tls-'));
const path = (name: string) => join(folder, name);
const issuer = await createTestIssuer();
const [authority, stranger] = [await makeTestAuthority('One'), await makeTestAuthority('Another')];
const here = { ips: ['127.0.0.1'], hosts: ['account'] };
const certificates = {
  account: await authority.issue(here),
  renewed: await authority.issue(here),
  elsewhere: await authority.issue({ hosts: ['elsewhere.example'] }),
  gateway: await authority.issue({ hosts: ['gateway'] }),
  stranger: await stranger.issue({ hosts: ['gateway'] }),
};
type Name = keyof typeof certificates;

/** Writes a certificate and its key under a name, and returns the files as settings hold them. */
function filesOf(name: Name, as: string = name): TlsFiles {
  writeFileSync(path(`${as}.pem`), certificates[name].cert);
  writeFileSync(path(`${as}-key.pem`), certificates[name].key);
  writeFileSync(path('ca.pem'), authority.pem);
  return tlsFiles({
    SSS_TLS_CERTIFICATE_FILE: path(`${as}.pem`),
    SSS_TLS_KEY_FILE: path(`${as}-key.pem`),
    SSS_TLS_CA_FILE: path('ca.pem'),
  });
}

let service: TestProcess;
let port: number;
let privatePort: number;
beforeEach(() => {
  service = startTestProcess('account');
});
afterEach(() => service.stop());
afterAll(() => {
  rmSync(folder, { recursive: true });
  issuer.close();
});

/** Delays a call; replaced by the test that wants to hold it. */
let holdUp: () => Promise<void> = async () => {};

async function serve(name: Name, { wantsCertificates = false } = {}): Promise<void> {
  const { identity } = filesOf(name, 'served');
  if (!identity) throw new Error('it has a certificate');
  writeFileSync(path('callers.pem'), authority.pem);
  const callerAuthorities = wantsCertificates
    ? { setting: 'SSS_TLS_CLIENT_CA_FILE', path: path('callers.pem') }
    : undefined;
  const rpc = { port: 0, privatePort: 0, identity, callerAuthorities };
  const ports = await startRpcServer(service, {
    config: testConfig(rpc, issuer.issuersFile),
    services: [AccountService],
    ready: async () => {},
    routes: (router) =>
      router.service(AccountService, {
        async getAccount() {
          await holdUp();
          return { name: 'answered' };
        },
      }),
  });
  [port, privatePort] = [ports.http2Port, ports.http1Port];
}

const url = () => `https://127.0.0.1:${port}`;
const token = () => issuer.tokenOf('somebody', 'staff:admin', 'account');
const asked = async (transport: Transport) => {
  const headers = { authorization: `Bearer ${await token()}` };
  const account = await createClient(AccountService, transport).getAccount(
    { accountId: '01890000-0000-7000-8000-000000000001' },
    { headers, timeoutMs: 10_000 },
  );
  return account.name;
};

/** Calls like one of our services, with the files of its settings. */
function ours(tls: TlsFiles) {
  const client = createRpcClient(AccountService, {
    baseUrl: url(),
    audience: 'account',
    ...rpcAccess({ serviceTokenDir: '', tls }, service.log),
    tokens: { tokenFor: token },
    timeoutMs: 10_000,
  });
  return async () => (await client.getAccount({ accountId: '01890000-0000-7000-8000-000000000001' })).name;
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => Code[ConnectError.from(error).code],
  );

it('a TLS listener serves our own services, Connect over HTTP/1.1 and gRPC over HTTP/2 on one port', async () => {
  await serve('account');
  const nodeOptions = { ca: authority.pem };
  expect(await ours({ authorities: filesOf('gateway').authorities })()).toBe('answered');
  expect(await asked(createConnectTransport({ baseUrl: url(), httpVersion: '1.1', nodeOptions }))).toBe(
    'answered',
  );
  const sessions = { baseUrl: url(), nodeOptions };
  expect(await asked(createGrpcTransport(sessions))).toBe('answered');
  expect(await protocolOf(['h2', 'http/1.1'])).toBe('h2');
  expect(await protocolOf(['http/1.1'])).toBe('http/1.1');
});

it('a TLS listener rejects plain-text connections', async () => {
  await serve('account');
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
});

describe('when Node and OpenSSL would accept any TLS version', () => {
  const usual = { version: tls.DEFAULT_MIN_VERSION, ciphers: tls.DEFAULT_CIPHERS };
  const ciphers = 'DEFAULT@SECLEVEL=0';
  beforeAll(() => {
    tls.DEFAULT_MIN_VERSION = 'TLSv1';
    tls.DEFAULT_CIPHERS = ciphers;
  });
  afterAll(() => {
    tls.DEFAULT_MIN_VERSION = usual.version;
    tls.DEFAULT_CIPHERS = usual.ciphers;
  });
  const handshake = async (maxVersion: tls.SecureVersion) => {
    const limits = { minVersion: 'TLSv1', maxVersion, ciphers } as const;
    const socket = connectTls({ port, host: '127.0.0.1', ca: authority.pem, ...limits });
    await once(socket, 'secureConnect');
    const version = socket.getProtocol();
    socket.destroy();
    return version;
  };

  it('accepts only TLS 1.2 or newer on our listener', async () => {
    await serve('account');
    await expect(handshake('TLSv1.1')).rejects.toThrow(/version|alert/i);
    expect(await handshake('TLSv1.2')).toBe('TLSv1.2');
  });

  it('accepts older versions on another listener', async () => {
    const { cert, key } = certificates.account;
    const server = tls.createServer({ cert, key }, (socket) => socket.on('error', () => {}));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
    const version = await handshake('TLSv1.1').finally(() => server.close());
    expect(version).toBe('TLSv1.1');
  });
});

it('a TLS listener accepts only callers with a certificate from the caller authority, when one is set', async () => {
  await serve('account', { wantsCertificates: true });
  expect(await ours(filesOf('gateway'))()).toBe('answered');
  expect(await codeOf(ours({ authorities: filesOf('gateway').authorities })())).toBe('Unavailable');
  expect(await codeOf(ours(filesOf('stranger'))())).toBe('Unavailable');
  const grpc = (name: Name) =>
    createGrpcTransport({
      baseUrl: url(),
      nodeOptions: { ca: authority.pem, cert: certificates[name].cert, key: certificates[name].key },
    });
  expect(await asked(grpc('gateway'))).toBe('answered');
  expect(await codeOf(asked(grpc('stranger')))).not.toBe('answered');
});

it('an RPC client rejects a server with a certificate of another host or an untrusted authority', async () => {
  await serve('elsewhere');
  expect(await codeOf(ours(filesOf('gateway'))())).toBe('Unavailable');
  await service.stop();
  service = startTestProcess('account');
  await serve('account');
  const tls = filesOf('gateway');
  writeFileSync(path('ca.pem'), stranger.pem);
  expect(await codeOf(ours(tls)())).toBe('Unavailable');
  // Nor with the authorities built into Node.
  expect(await codeOf(ours({})())).toBe('Unavailable');
});

it('a process with TLS serves probes and metrics in plain text on its private port only', async () => {
  await serve('account');
  const at = (page: string) => fetch(`http://127.0.0.1:${privatePort}${page}`);
  expect((await at('/livez')).status).toBe(200);
  expect((await at('/readyz')).status).toBe(200);
  const page = await (await at('/metrics')).text();
  expect(page).toContain('sss_rpc_duration_seconds');
  const { validTo } = new X509Certificate(certificates.account.cert);
  expect(page).toContain(`sss_tls_certificate_expiry_timestamp_seconds ${Date.parse(validTo) / 1000}\n`);
  expect((await at('/supplier.account.v1.AccountService/GetAccount')).status).toBe(404);
  for (const page of ['/livez', '/readyz', '/metrics']) {
    const [answer] = await once(get(`${url()}${page}`, { ca: authority.pem, agent: false }), 'response');
    answer.resume();
    expect(answer.statusCode).toBe(404);
  }
});

it('a TLS listener uses renewed files from the next connection, and keeps the old ones while new ones are invalid', async () => {
  const { identity } = filesOf('account', 'served');
  if (!identity) throw new Error('it has a certificate');
  const address = { host: '127.0.0.1', port: 0, identity, callerAuthorities: undefined };
  port = await listenTls(service, address, () => {}, new CallerConnections(service.metrics), 20);
  const presented = async () => {
    const socket = await greet();
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const before = await presented();
  writeFileSync(path('served.pem'), 'torn');
  await eventually('the bad file is reported', () =>
    service.lines.some(({ msg }) => msg === 'TLS files unusable'),
  );
  expect(await presented()).toBe(before);
  filesOf('renewed', 'served');
  await eventually('the new certificate is presented', async () => (await presented()) !== before);
});

it('a TLS listener stops without failing a call while any clients are connected', async () => {
  await serve('account');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: started, resolve: begin } = Promise.withResolvers<void>();
  holdUp = () => {
    begin();
    return held;
  };
  const idle = connectHttp2(url(), { ca: authority.pem });
  await once(idle, 'connect');
  const idleHttp1 = await greet(['http/1.1']);
  const speechless = connectTcp(port, '127.0.0.1');
  await once(speechless, 'connect');
  const call = ours({ authorities: filesOf('gateway').authorities })();
  await started;
  const stopped = service.stop();
  const gone = [once(idle, 'close'), once(idleHttp1, 'close'), once(speechless, 'close')];
  await gone[0];
  release();
  expect(await call).toBe('answered');
  await Promise.all([stopped, ...gone]);
  holdUp = async () => {};
});

async function greet(ALPNProtocols: string[] = []): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.pem, ALPNProtocols });
  await once(socket, 'secureConnect');
  socket.on('error', () => {});
  return socket;
}

async function protocolOf(offers: string[]): Promise<string | false | null> {
  const socket = await greet(offers);
  socket.destroy();
  return socket.alpnProtocol;
}
