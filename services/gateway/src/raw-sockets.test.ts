import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { createLogger } from '@supplier/lib/log';
import { eventually } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { buildPages } from './pages/app.ts';
import { fakeGateway } from './testing/fake-gateway.ts';

const CONNECT = 'CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const MANY = 100;

const { context } = fakeGateway();
const listeners: [string, () => FastifyInstance][] = [
  ['the API', () => fakeGateway().app],
  ['the pages', () => buildPages({ ...context, log: createLogger('test', 'fatal') }, () => true)],
];

describe.each(listeners)('a connection that leaves HTTP, on the listener of %s', (_listener, build) => {
  let app: FastifyInstance;
  let port: number;
  beforeAll(async () => {
    app = build();
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  afterAll(() => app.close());

  const connections = () => promisify(app.server.getConnections.bind(app.server))();
  const allGivenBack = () =>
    eventually('every connection is given back', async () => (await connections()) === 0, 4_000);
  const stillAnswers = async () => {
    const headers = { connection: 'close' };
    expect((await fetch(`http://127.0.0.1:${port}/nowhere`, { headers })).status).toBe(404);
  };

  async function opened(request: string): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write(request, resolve));
    return socket;
  }

  it.each([
    ['CONNECT', CONNECT],
    ['Upgrade', UPGRADE],
    ['what is no HTTP', 'noise\r\n\r\n'],
  ])('may be reset at any time: %s', async (_what, request) => {
    for (let at = 0; at < MANY; at += 1) {
      const socket = await opened(request);
      if (at % 2 === 0) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      socket.resetAndDestroy();
    }
    await stillAnswers();
    await allGivenBack();
  });

  it('is given back though its sender neither ends nor reads it', async () => {
    const held = await Promise.all(Array.from({ length: MANY }, () => opened(CONNECT)));
    await allGivenBack();
    for (const socket of held) socket.destroy();
    await stillAnswers();
  });

  it('is given back though its sender goes on writing', async () => {
    const socket = await opened(CONNECT);
    const writing = setInterval(() => socket.write('x'.repeat(1024)), 5);
    await allGivenBack().finally(() => clearInterval(writing));
    socket.destroy();
    await stillAnswers();
  });
});
