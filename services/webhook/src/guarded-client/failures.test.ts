import { type EndpointId, newId } from '@supplier/lib/text/ids';
import {
  BODY,
  guardedClientTests,
  HEADERS,
  postTo,
  resolvingTo,
  STATUS_MS,
} from '../../testing/guarded-client-tests.ts';
import { closedPort, httpsReceiver, tlsReceiver } from '../../testing/receivers.ts';
import type { ResolveHost } from './connect.ts';

const { authority, credentials, clientWith, receiving } = guardedClientTests();

describe('failing post', () => {
  it.each([400, 401, 404, 410, 429, 500, 503])('reports the status for a %i', async (code) => {
    const { port } = await receiving(
      httpsReceiver(credentials(), (_request, response) =>
        response.writeHead(code, { 'Retry-After': '1' }).end(),
      ),
    );
    expect(await postTo(clientWith(), `https://127.0.0.1:${port}/`)).toMatchObject({
      error: 'status',
      statusCode: code,
    });
  });

  it('times out at its limit without a response, and closes the connection', async () => {
    const ended = Promise.withResolvers<void>();
    const { port } = await receiving(
      tlsReceiver(credentials(), (socket) => {
        socket.resume();
        socket.on('close', () => ended.resolve());
      }),
    );
    const started = performance.now();
    const result = await postTo(clientWith({ statusMs: STATUS_MS }), `https://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ error: 'timeout', statusCode: undefined, resolvedIp: '127.0.0.1' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(STATUS_MS - 5);
    expect(performance.now() - started).toBeLessThan(STATUS_MS + 10_000);
    await ended.promise;
  });

  it('times out when the name server never answers', async () => {
    const aborted = Promise.withResolvers<void>();
    const resolve: ResolveHost = (_host, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(signal.reason);
        });
      });
    const result = await postTo(clientWith({ resolve, statusMs: STATUS_MS }), 'https://receiver.test/');
    expect(result).toMatchObject({ error: 'timeout', resolvedIp: undefined });
    await aborted.promise;
  });

  it('reports dns when the name does not resolve', async () => {
    const resolve: ResolveHost = async () => {
      throw new Error('ENOTFOUND');
    };
    expect(await postTo(clientWith({ resolve }), 'https://receiver.test/')).toMatchObject({ error: 'dns' });
  });

  it('reports connect when nothing listens, after trying every address', async () => {
    const port = await closedPort();
    const client = clientWith({ resolve: resolvingTo('127.0.0.2', '127.0.0.1') });
    expect(await postTo(client, `https://receiver.test:${port}/`)).toMatchObject({
      error: 'connect',
      resolvedIp: '127.0.0.1',
    });
  });

  it('continues with the next address when one refuses', async () => {
    const { port } = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const client = clientWith({ resolve: resolvingTo('127.0.0.3', '127.0.0.1') });
    expect(await postTo(client, `https://receiver.test:${port}/`)).toMatchObject({
      error: undefined,
      resolvedIp: '127.0.0.1',
    });
  });

  it('sends nothing when the certificate is not trusted', async () => {
    let requests = 0;
    const others = await authority().issue({ hosts: ['other.test'] });
    const { port } = await receiving(
      httpsReceiver(others, (_request, response) => {
        requests += 1;
        response.end();
      }),
    );
    expect(await postTo(clientWith(), `https://127.0.0.1:${port}/`)).toMatchObject({ error: 'tls' });
    expect(requests).toBe(0);
  });

  it('trusts no unknown authority when no extra one is configured', async () => {
    const { port } = await receiving(httpsReceiver(credentials(), (_request, response) => response.end()));
    const client = clientWith({ extraCa: undefined });
    expect(await postTo(client, `https://127.0.0.1:${port}/`)).toMatchObject({ error: 'tls' });
  });

  it('is interrupted immediately when its signal is aborted, before or after the start', async () => {
    const { port } = await receiving(tlsReceiver(credentials(), (socket) => socket.resume()));
    const client = clientWith({ statusMs: 60_000 });
    const interrupting = new AbortController();
    const to = { endpointId: newId<EndpointId>(), url: `https://127.0.0.1:${port}/` };
    const result = client.post(to, HEADERS, BODY, interrupting.signal);
    setTimeout(() => interrupting.abort(), 50);
    expect(await result).toMatchObject({ error: 'interrupted', statusCode: undefined });
    expect(await client.post(to, HEADERS, BODY, interrupting.signal)).toMatchObject({ error: 'interrupted' });
  });
});
