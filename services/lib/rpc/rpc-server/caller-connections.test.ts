import { type EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { AccountService } from '@supplier/proto/account/v1/account';
import {
  createTestIssuer,
  eventually,
  makeTestAuthority,
  startTestProcess,
  type TestProcess,
  testConfig,
} from '../../testing/index.ts';
import type { ConnectionBounds } from './caller-connections.ts';
import { startRpcServer } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'caller-connections-'));
const issuer = await createTestIssuer();
const authority = await makeTestAuthority('One');
const { cert, key } = await authority.issue({ ips: ['127.0.0.1'] });
const [certificateFile, keyFile] = [join(folder, 'own.pem'), join(folder, 'own-key.pem')];
writeFileSync(certificateFile, cert);
writeFileSync(keyFile, key);
const good = await issuer.tokenOf('somebody', 'staff:admin', 'account');

let service: TestProcess;
let port: number;
beforeEach(() => {
  service = startTestProcess('account');
});
afterEach(() => service.stop());
afterAll(() => {
  rmSync(folder, { recursive: true });
  issuer.close();
});

/** Starts a server that closes unproven connections soon, unless a test sets other bounds. */
async function serve(bounds: Partial<ConnectionBounds> = {}): Promise<void> {
  const identity = {
    certificate: { setting: 'SSS_TLS_CERTIFICATE_FILE', path: certificateFile },
    key: { setting: 'SSS_TLS_KEY_FILE', path: keyFile },
  };
  const { http2Port } = await startRpcServer(service, {
    config: testConfig(
      { port: 0, privatePort: 0, identity, callerAuthorities: undefined },
      issuer.issuersFile,
    ),
    services: [AccountService],
    ready: async () => {},
    routes: (router) => router.service(AccountService, { getAccount: async () => ({ name: 'answered' }) }),
    connectionBounds: {
      unprovenMs: 300,
      unproven: 2_500,
      unprovenPerAddress: 256,
      perAddress: 1_024,
      ...bounds,
    },
  });
  port = http2Port;
}

const GET_ACCOUNT = '/supplier.account.v1.AccountService/GetAccount';
const ASKED = Buffer.from('\x0a\x2401890000-0000-7000-8000-000000000001');

async function session(localAddress = '127.0.0.1'): Promise<ClientHttp2Session> {
  const own = { localAddress, ca: authority.pem, ALPNProtocols: ['h2'] };
  const opened = connectHttp2(`https://127.0.0.1:${port}`, {
    createConnection: () => connectTls(port, '127.0.0.1', own),
  });
  opened.on('error', () => {});
  await once(opened, 'connect');
  return opened;
}

/** Makes one gRPC call and returns its status. */
async function call(on: ClientHttp2Session, path: string, token?: string): Promise<string> {
  const headers = {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  };
  const stream = on.request(token ? { ...headers, authorization: `Bearer ${token}` } : headers);
  let status = '';
  const note = (got: Record<string, unknown>) => {
    status = String(got['grpc-status'] ?? status);
  };
  stream
    .on('response', note)
    .on('trailers', note)
    .on('error', () => {});
  stream.resume();
  stream.end(grpcMessage(path === GET_ACCOUNT ? ASKED : Buffer.alloc(0)));
  await once(stream, 'close');
  return status;
}

function grpcMessage(bytes: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

const WITHIN_MS = 30_000;
const closed = (what: EventEmitter) =>
  Promise.race([once(what, 'close').then(() => true), delay(WITHIN_MS, false, { ref: false })]);

describe('a connection without an admitted call', () => {
  it('gets GOAWAY and is closed over HTTP/2', async () => {
    await serve();
    const idle = await session();
    const goaway = once(idle, 'goaway');
    expect(await closed(idle)).toBe(true);
    expect((await goaway)[0]).toBe(0);
  });

  it.each([
    ['calls without a token', GET_ACCOUNT, undefined, '16'],
    ['calls with a bad token', GET_ACCOUNT, 'a.b.c', '16'],
    ['asks for the health of the process', '/grpc.health.v1.Health/Check', undefined, '0'],
  ])('is also closed when it %s', async (_what, path, token, status) => {
    await serve();
    const idle = await session();
    const ended = closed(idle);
    expect(await call(idle, path, token)).toBe(status);
    expect(await ended).toBe(true);
  });

  it('is closed within two seconds while it watches process health', async () => {
    await serve();
    const watching = await session();
    const stream = watching.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Watch',
      'content-type': 'application/grpc+proto',
    });
    stream.on('error', () => {});
    stream.end(grpcMessage(Buffer.alloc(0)));
    await once(stream, 'data');
    expect(await closed(watching)).toBe(true);
  });

  it('is closed over HTTP/1.1, and when it sends nothing', async () => {
    await serve();
    const http1 = connectTls({ port, host: '127.0.0.1', ca: authority.pem, ALPNProtocols: ['http/1.1'] });
    const speechless = connectTcp(port, '127.0.0.1');
    await Promise.all([once(http1, 'secureConnect'), once(speechless, 'connect')]);
    for (const socket of [http1, speechless]) socket.on('error', () => {}).resume();
    expect(await Promise.all([closed(http1), closed(speechless)])).toEqual([true, true]);
    const metrics = await service.metrics.metrics();
    expect(metrics).toContain('sss_rpc_connections_closed_total{reason="admission refused"} 2');
  });
});

it('an HTTP/1.1 connection whose calls are all denied gets Connection: close before it is cut', async () => {
  await serve({ unprovenMs: 3_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.pem });
  const denied = async () => {
    const asked = request(`https://127.0.0.1:${port}${GET_ACCOUNT}`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/proto', 'connect-protocol-version': '1' },
    });
    asked.end(ASKED);
    const [answer] = await once(asked, 'response');
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode, connection: answer.headers.connection };
  };
  const first = await denied();
  expect(first).toEqual({ status: 401, connection: 'keep-alive' });
  let last = first;
  while (last.connection !== 'close') last = await denied();
  expect(last.status).toBe(401);
  expect(await service.metrics.metrics()).toContain('{reason="admission refused"} 0');
  agent.destroy();
});

it('a connection stays open after an admitted call, over HTTP/2 and HTTP/1.1', async () => {
  await serve({ unprovenMs: 1_000 });
  // On a busy machine the second may pass before the call is made.
  const kept = await eventually('a call over HTTP/2 is let in', async () => {
    const opened = await session();
    return (await call(opened, GET_ACCOUNT, good)) === '0' && opened;
  });
  const idle = await session();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.pem });
  const ask = async () => {
    const asked = request(`https://127.0.0.1:${port}${GET_ACCOUNT}`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${good}`,
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
      },
    });
    asked.end(ASKED);
    const [answer] = await once(asked, 'response');
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode, localPort: asked.socket?.localPort };
  };
  const first = await eventually('a call over HTTP/1.1 is let in', () => ask().catch(() => undefined));
  expect(first.status).toBe(200);
  expect(await closed(idle)).toBe(true);
  expect(kept.closed).toBe(false);
  expect(await call(kept, GET_ACCOUNT, good)).toBe('0');
  expect(await ask()).toEqual(first);
  kept.destroy();
  agent.destroy();
});

it('a gRPC client whose session was closed makes its next call on another', async () => {
  await serve({ unprovenMs: 2_000 });
  const baseUrl = `https://127.0.0.1:${port}`;
  const sessionManager = new Http2SessionManager(baseUrl, {}, { ca: authority.pem });
  const client = createClient(AccountService, createGrpcTransport({ baseUrl, sessionManager }));
  const account = { accountId: '01890000-0000-7000-8000-000000000001' };
  await expect(client.getAccount(account)).rejects.toThrow('a token is required');
  await eventually('it hears that its session is closed', async () => sessionManager.state() === 'closed');
  expect(await service.metrics.metrics()).toContain('{reason="admission refused"} 1');
  const headers = { authorization: `Bearer ${good}` };
  expect((await client.getAccount(account, { headers })).name).toBe('answered');
  sessionManager.abort();
});

describe('connections of one address', () => {
  it('take a place until their first admitted call or their end', async () => {
    await serve({ unprovenMs: 60_000, unprovenPerAddress: 2 });
    const [one, other] = [await session(), await session()];
    await expect(session()).rejects.toThrow();
    expect(await call(one, GET_ACCOUNT, good)).toBe('0');
    const third = await session();
    other.destroy();
    await eventually('its place is free', () =>
      session().then(
        (next) => next.destroy() ?? true,
        () => false,
      ),
    );
    const metrics = await service.metrics.metrics();
    expect(metrics).toMatch(
      /sss_rpc_connections_closed_total\{reason="too many connections from address"\} [1-9]/,
    );
    for (const open of [one, third]) open.destroy();
  });

  it('are limited even when their calls are admitted', async () => {
    await serve({ unprovenMs: 60_000, perAddress: 2 });
    const [one, other] = [await session(), await session()];
    for (const open of [one, other]) expect(await call(open, GET_ACCOUNT, good)).toBe('0');
    await expect(session()).rejects.toThrow();
    for (const open of [one, other]) open.destroy();
  });
});

describe('connections of all addresses', () => {
  it('take a place only until their first admitted call', async () => {
    await serve({ unprovenMs: 60_000, unproven: 2 });
    const [called, idle] = [await session(), await session()];
    await expect(session('127.0.0.2')).rejects.toThrow();
    expect(await call(called, GET_ACCOUNT, good)).toBe('0');
    const elsewhere = await session('127.0.0.2');
    await expect(session('127.0.0.3')).rejects.toThrow();
    idle.destroy();
    await eventually('its place is free', () =>
      session('127.0.0.3').then(
        (next) => next.destroy() ?? true,
        () => false,
      ),
    );
    const metrics = await service.metrics.metrics();
    expect(metrics).toMatch(/sss_rpc_connections_closed_total\{reason="too many without a call"\} [1-9]/);
    for (const open of [called, elsewhere]) open.destroy();
  });
});
