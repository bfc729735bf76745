import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { drainHttp } from './index.ts';

let server: http.Server;
let drain: () => Promise<void>;
let answer: (response: ServerResponse) => void;
let origin: string;
const port = () => (server.address() as AddressInfo).port;

beforeEach(async () => {
  answer = (response) => response.end('well');
  server = http.createServer({ keepAliveTimeout: 60_000 }, (_request, response) => answer(response));
  drain = drainHttp(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${port()}`;
});
afterEach(() => server.closeAllConnections());

it('a draining server fails no request of clients that keep sending, and closes their connections', async () => {
  const agent = new Agent({ connections: 8 });
  const failures: string[] = [];
  let answered = 0;
  const callers = Array.from({ length: 8 }, async () => {
    for (;;) {
      try {
        const { statusCode, body } = await agent.request({ origin, path: '/', method: 'GET' });
        expect([statusCode, await body.text()]).toEqual([200, 'well']);
        answered += 1;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // No longer listening: the request can safely be sent to another server.
        if (code === 'ECONNREFUSED') return;
        failures.push(String(code));
      }
    }
  });
  while (answered < 100) await new Promise((resolve) => setImmediate(resolve));
  await drain();
  await Promise.all(callers);
  expect(failures).toEqual([]);
  await agent.close();
});

it('a draining server finishes a response in progress, then closes its connection', async () => {
  const responding = new Promise<ServerResponse>((resolve) => {
    answer = (response) => {
      response.write('half ');
      resolve(response);
    };
  });
  const agent = new http.Agent({ keepAlive: true });
  const call = http.get(origin, { agent });
  const [response] = (await once(call, 'response')) as [http.IncomingMessage];
  let drained = false;
  const stopped = drain().then(() => {
    drained = true;
  });
  // By then it has stopped listening and waits only for this answer.
  while (server.listening) await new Promise((resolve) => setImmediate(resolve));
  expect(drained).toBe(false);
  (await responding).end('whole');
  let text = '';
  for await (const chunk of response) text += chunk;
  expect(text).toBe('half whole');
  await stopped;
  agent.destroy();
});

it('a draining server sends Connection: close with responses that were in progress', async () => {
  const responding = new Promise<ServerResponse>((resolve) => {
    answer = resolve;
  });
  const call = http.get(origin, { agent: new http.Agent({ keepAlive: true }) });
  const response = await responding;
  const stopped = drain();
  response.end('well');
  const [answered] = (await once(call, 'response')) as [http.IncomingMessage];
  expect(answered.headers.connection).toBe('close');
  answered.resume();
  await stopped;
});

it('a draining server responds on a recently used connection with Connection: close', async () => {
  // Long enough for a busy machine.
  drain = drainHttp(server, { unusedMs: 60_000, withinMs: 60_000 });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const [response] = (await once(http.get(origin, { agent }), 'response')) as [http.IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  };
  await ask();
  const stopped = drain();
  // Longer than drainHttp takes to find that nothing more arrives.
  await new Promise((resolve) => setTimeout(resolve, 500));
  // No longer listening, so it is the same connection.
  expect(server.listening).toBe(false);
  expect((await ask()).headers.connection).toBe('close');
  await stopped;
  agent.destroy();
});

it.each([
  ['sends nothing', ''],
  ['never completes the head of its request', 'GET / HTTP/1.1\r\nhost'],
])('a draining server does not wait for a connection that %s', async (_what, bytes) => {
  drain = drainHttp(server, { unusedMs: 100, withinMs: 60_000 });
  const accepted = once(server, 'connection');
  const socket = net.connect(port(), '127.0.0.1');
  await accepted;
  await new Promise((resolve) => socket.write(bytes, resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.resume();
  const startedAt = performance.now();
  await drain();
  await closed;
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});
