import { once } from 'node:events';
import { type EndpointId, newId } from '@supplier/lib/text/ids';
import { BODY, guardedClientTests, postTo, resolvingTo } from '../../testing/guarded-client-tests.ts';
import { httpsReceiver, tlsReceiver } from '../../testing/receivers.ts';

const { credentials, clientWith, receiving } = guardedClientTests();

describe('delivered post', () => {
  it('is sent as given, with only host, length and connection added by the client', async () => {
    const seen: { head: string; body: string }[] = [];
    const { port } = await receiving(
      tlsReceiver(credentials(), (socket) => {
        socket.once('data', (data) => {
          const [head = '', body = ''] = data.toString().split('\r\n\r\n');
          seen.push({ head, body });
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        });
      }),
    );
    const result = await postTo(clientWith(), `https://127.0.0.1:${port}/hooks?a=b`);
    expect(result).toMatchObject({ error: undefined, statusCode: 200 });
    expect(seen[0]?.head.split('\r\n')).toEqual([
      'POST /hooks?a=b HTTP/1.1',
      `host: 127.0.0.1:${port}`,
      'connection: keep-alive',
      'Content-Type: application/json',
      'Svc-Webhook-Id: x',
      `content-length: ${BODY.length}`,
    ]);
    expect(seen[0]?.body).toBe(BODY.toString());
  });

  it('reports its address, its TLS details and the duration of each phase', async () => {
    const { port } = await receiving(
      httpsReceiver(credentials(), (_request, response) => response.end('thanks')),
    );
    const client = clientWith({ resolve: resolvingTo('127.0.0.1') });
    const result = await postTo(client, `https://receiver.test:${port}/`);
    expect(result).toMatchObject({
      error: undefined,
      statusCode: 200,
      resolvedIp: '127.0.0.1',
      tlsVersion: 'TLSv1.3',
      dnsMs: expect.any(Number),
      connectMs: expect.any(Number),
      tlsMs: expect.any(Number),
      statusMs: expect.any(Number),
    });
    expect(Buffer.from(result.answerHead).toString()).toBe('thanks');
  });

  it('keeps Host and SNI as in the URL while it connects to the resolved address', async () => {
    const names: string[] = [];
    const hosts: (string | undefined)[] = [];
    const { port } = await receiving(
      httpsReceiver(
        credentials(),
        (request, response) => {
          hosts.push(request.headers.host);
          response.end();
        },
        names,
      ),
    );
    const client = clientWith({ resolve: resolvingTo('127.0.0.1') });
    expect(await postTo(client, `https://receiver.test.:${port}/`)).toMatchObject({ statusCode: 200 });
    expect(names).toEqual(['receiver.test']);
    expect(hosts).toEqual([`receiver.test.:${port}`]);
  });

  it('reuses the connection, which endpoints never share', async () => {
    const receiver = await receiving(
      httpsReceiver(credentials(), (_request, response) => response.end('ok')),
    );
    const client = clientWith();
    const url = `https://127.0.0.1:${receiver.port}/`;
    const endpointId = newId<EndpointId>();
    const first = await postTo(client, url, endpointId);
    const second = await postTo(client, url, endpointId);
    expect(receiver.connections()).toBe(1);
    expect(first.tlsMs).toBeDefined();
    expect(second).toMatchObject({ statusCode: 200, tlsMs: undefined, resolvedIp: '127.0.0.1' });
    await postTo(client, url);
    expect(receiver.connections()).toBe(2);
  });

  it('opens a new connection when the kept one was closed meanwhile', async () => {
    const receiver = await receiving(
      tlsReceiver(credentials(), (socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
          socket.end();
        });
      }),
    );
    const client = clientWith();
    const endpointId = newId<EndpointId>();
    for (let round = 0; round < 3; round += 1) {
      const result = await postTo(client, `https://127.0.0.1:${receiver.port}/`, endpointId);
      expect(result).toMatchObject({ error: undefined, statusCode: 200 });
    }
    expect(receiver.connections()).toBe(3);
  });
});

describe('oversized response', () => {
  it('is read to 64 KiB and kept to 1 KiB, and its connection is closed', async () => {
    let written = 0;
    const receiver = await receiving(
      httpsReceiver(credentials(), async (_request, response) => {
        response.on('error', () => {});
        const chunk = Buffer.alloc(16_384, 'x');
        for (let sent = 0; sent < 100_000_000 && !response.destroyed; sent += chunk.length) {
          written += chunk.length;
          if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
        }
        response.end();
      }),
    );
    const client = clientWith();
    const endpointId = newId<EndpointId>();
    const url = `https://127.0.0.1:${receiver.port}/`;
    const result = await postTo(client, url, endpointId);
    expect(result).toMatchObject({ error: undefined, statusCode: 200 });
    expect(Buffer.from(result.answerHead).equals(Buffer.alloc(1_024, 'x'))).toBe(true);
    expect(written).toBeLessThan(10_000_000);
    await postTo(client, url, endpointId);
    expect(receiver.connections()).toBe(2);
  });
});
