import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openConnections } from './http-connections.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (path: string) => () => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

describe('openConnections', () => {
  it('sends many requests over a few connections and gives each its own answer', async () => {
    const sockets = new Set<unknown>();
    const origin = await serve((request, response) => {
      sockets.add(request.socket);
      const body = `${request.url} ${'x'.repeat(20_000)}`;
      response.writeHead(203, { 'content-length': body.length }).end(body);
    });
    const connections = openConnections(origin, 3);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => connections.send(get(`/${index}`))),
    );
    expect(answers.map(({ status, body }) => `${status} ${body.split(' ')[0]}`)).toEqual(
      Array.from({ length: 50 }, (_, index) => `203 /${index}`),
    );
    expect(sockets.size).toBe(3);
    connections.close();
  });

  it('rejects what is under way when a connection breaks, and opens another for the next', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/broken') request.socket.destroy();
      else response.writeHead(200, { 'content-length': 2, connection: 'close' }).end('ok');
    });
    const connections = openConnections(origin, 1);
    const broken = connections.send(get('/broken'));
    const [one, other] = [connections.send(get('/one')), connections.send(get('/other'))];
    await expect(broken).rejects.toThrow(/closed|reset/i);
    expect([(await one).body, (await other).body]).toEqual(['ok', 'ok']);
    connections.close();
  });

  it('rejects an answer whose length it is not told', async () => {
    const origin = await serve((_request, response) => response.write('a piece'));
    const connections = openConnections(origin, 1);
    await expect(connections.send(get('/'))).rejects.toThrow('does not say how long');
    connections.close();
  });
});
