import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Probe } from '../api/objects.ts';
import { askOnce, runHook, type Target } from './probing.ts';

const open: Server[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

async function portOf(server: Server): Promise<number> {
  open.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const targetWith = (port = 0, exitCode = 0): Target => ({
  ...{ address: '127.0.0.1', container: { name: 'main', ports: [{ name: 'web', containerPort: port }] } },
  exec: async () => ({ exitCode, output: 'said' }),
});
const ask = (probe: Probe, target: Target) => askOnce({ timeoutSeconds: 10, ...probe }, target);

describe('a probe by HTTP', () => {
  const seen: string[] = [];
  let port = 0;
  beforeAll(async () => {
    const server = createHttpServer((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.host} ${request.headers['x-a']}`);
      const status = Number(request.url?.slice(1));
      if (status > 0) response.writeHead(status).end();
    });
    port = await portOf(server);
  });

  it.each([
    [200, true],
    [204, true],
    [302, true],
    [404, false],
    [503, false],
  ])('takes the status %d for %s', async (status, expected) => {
    expect(await ask({ httpGet: { path: `/${status}`, port: 'web' } }, targetWith(port))).toBe(expected);
  });

  it('sends the headers that it is given', async () => {
    const httpHeaders = [
      { name: 'Host', value: 'example' },
      { name: 'X-A', value: 'b' },
    ];
    await ask({ httpGet: { path: '/200', port, httpHeaders } }, targetWith());
    expect(seen.at(-1)).toBe('GET /200 example b');
  });

  it('is not good when the answer takes too long', async () => {
    expect(await askOnce({ timeoutSeconds: 0.2, httpGet: { path: '/0', port } }, targetWith())).toBe(false);
  });
});

it('finds by TCP whether somebody listens', async () => {
  const server = createServer();
  const port = await portOf(server);
  expect(await ask({ tcpSocket: { port } }, targetWith())).toBe(true);
  server.close();
  await once(server, 'close');
  expect(await ask({ tcpSocket: { port } }, targetWith())).toBe(false);
});

it.each([
  [0, true],
  [1, false],
])('finds by a command with exit code %d: %s', async (exitCode, expected) => {
  expect(await ask({ exec: { command: ['x'] } }, targetWith(0, exitCode))).toBe(expected);
});

it.each([
  ['SERVING', 1, true],
  ['NOT_SERVING', 2, false],
])('finds by gRPC health, which says %s', async (_name, status, expected) => {
  const asked: Buffer[] = [];
  const server = createHttp2Server();
  server.on('stream', (stream, headers) => {
    stream.on('data', (chunk: Buffer) => asked.push(chunk));
    stream.on('end', () => {
      expect(headers[':path']).toBe('/grpc.health.v1.Health/Check');
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, status]));
    });
  });
  const port = await portOf(server as unknown as Server);
  expect(await ask({ grpc: { port, service: 'a' } }, targetWith())).toBe(expected);
  expect([...Buffer.concat(asked)]).toEqual([0, 0, 0, 0, 3, 0x0a, 1, 0x61]);
});

it('is not good where the port that it names is not there', async () => {
  expect(await ask({ httpGet: { path: '/', port: 'none' } }, targetWith())).toBe(false);
});

it('says why a hook failed', async () => {
  await expect(runHook({ exec: { command: ['x'] } }, targetWith(0, 3), 1000)).rejects.toThrow(
    'exit code 3: said',
  );
  await expect(runHook({ exec: { command: ['x'] } }, targetWith(0, 0), 1000)).resolves.toBeUndefined();
});
