import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type TLSSocket } from 'node:tls';
import { type EndpointId, newId } from '@supplier/lib/text/ids';
import { ANSWER_MS, guardedClientTests, postTo, STATUS_MS } from '../../testing/guarded-client-tests.ts';
import { tcpReceiver, tlsReceiver } from '../../testing/receivers.ts';

const { credentials, clientWith, receiving } = guardedClientTests();

const OK = 'HTTP/1.1 200 OK\r\n';
const WHOLE = `${OK}Content-Length: 0\r\n\r\n`;
const BUSY = 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
/** Delay between two pieces of a response, so that each is a separate packet. */
const GAP_MS = 5;

type Talk = (socket: TLSSocket) => void;

/** Sends the pieces after a request, and leaves the connection open. */
const sending =
  (...pieces: (string | Uint8Array)[]): Talk =>
  (socket) =>
    void socket.once('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await delay(GAP_MS);
      }
    });

/** Returns the result of one attempt at a receiver with this behaviour. */
async function attempt(talk: Talk, limits = {}) {
  const { port } = await receiving(tlsReceiver(credentials(), talk));
  return postTo(
    clientWith({ statusMs: 20_000, answerMs: ANSWER_MS, ...limits }),
    `https://127.0.0.1:${port}/`,
  );
}

describe('attempt whose receiver sends interim responses', () => {
  it.each<[string, string[]]>([
    ['100 Continue', [CONTINUE, WHOLE]],
    ['100 Continue in the same packet', [CONTINUE + WHOLE]],
    ['102 Processing', ['HTTP/1.1 102 Processing\r\n\r\n', WHOLE]],
    ['103 Early Hints with headers', ['HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nLink: </y>\r\n\r\n', WHOLE]],
    ['a status of 199', ['HTTP/1.1 199 Soon\r\n\r\n', WHOLE]],
    ['several kinds', [CONTINUE, 'HTTP/1.1 102 \r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n', WHOLE]],
    ['a hundred of them', [...Array<string>(100).fill(CONTINUE), WHOLE].join('|').split('|')],
    ['pieces of them', ['HTTP/1.1 1', '00 Con', 'tinue\r', '\n\r', '\nHTTP/1.1 2', '00 OK\r\n', '\r\n']],
    ['byte after byte', [...`${CONTINUE}${WHOLE}`]],
    ['bare line feeds', ['HTTP/1.1 100 Continue\n\n', WHOLE]],
    ['an unparsable header', ['HTTP/1.1 103 Early Hints\r\nno header\r\nX\0: y\r\n\r\n', WHOLE]],
    ['a body length, which has no meaning', ['HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\n', WHOLE]],
    ['HTTP/1.0', ['HTTP/1.0 100 Continue\r\n\r\n', WHOLE]],
    ['no empty line after them', ['HTTP/1.1 100 Continue\r\n', WHOLE]],
  ])('reads the final status after %s', async (_what, pieces) => {
    expect(await attempt(sending(...pieces))).toMatchObject({ error: undefined, statusCode: 200 });
  });

  it.each([100, 102, 103])('fails with the final status when a 503 follows %i', async (code) => {
    const talk = sending(`HTTP/1.1 ${code} Interim\r\n\r\n`, BUSY);
    expect(await attempt(talk)).toMatchObject({ error: 'status', statusCode: 503 });
  });
});

describe('attempt whose receiver sends a 2xx status line', () => {
  it.each<[string, string]>([
    ['both Content-Length and Transfer-Encoding', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
    ['an infinite length', `Content-Length: ${'9'.repeat(400)}\r\n\r\n`],
    ['an unknown transfer encoding', 'Transfer-Encoding: lost\r\n\r\n'],
    ['a chunk without end', 'Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nnoise\r\n'],
    ['a header without a colon', 'no header\r\nContent-Length: 0\r\n\r\n'],
    ['a space before the colon', 'Content-Length : 0\r\n\r\n'],
    ['a folded header', 'X-Long: a\r\n b\r\nContent-Length: 0\r\n\r\n'],
    ['control characters', 'X: \0\x01\x7f\r\nContent-Length: 0\r\n\r\n'],
    ['bytes that are not ASCII', 'X-N\u00e4me: \u00fc\r\n\r\n'],
    ['an empty header name', ': x\r\n\r\n'],
    ['a lone carriage return', 'X: a\rb\r\n\r\n'],
    ['bare line feeds', 'Content-Length: 0\n\n'],
    ['a header of 17 KiB', `X: ${'x'.repeat(17_408)}\r\nContent-Length: 0\r\n\r\n`],
    ['4,000 headers', `${'X: y\r\n'.repeat(4_000)}Content-Length: 0\r\n\r\n`],
    ['100 KiB of headers', `${'X-More: more\r\n'.repeat(8_000)}\r\n`],
    ['nothing', ''],
    ['an upgrade', 'Connection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['noise', '\0\0\0\x04\xff\xff\r\n\r\n'],
  ])('succeeds when %s follow it', async (_what, rest) => {
    expect(await attempt(sending(OK + rest))).toMatchObject({ error: undefined, statusCode: 200 });
    expect(await attempt(sending(OK, rest))).toMatchObject({ error: undefined, statusCode: 200 });
    const failed = sending(`HTTP/1.1 500 Failed\r\n${rest}`);
    expect(await attempt(failed)).toMatchObject({ error: 'status', statusCode: 500 });
  });

  it.each<[string, Talk]>([
    ['closes the connection', (socket) => socket.end()],
    ['destroys the connection', (socket) => socket.destroy()],
  ])('succeeds when the receiver then %s', async (_what, end) => {
    const talk: Talk = (socket) => void socket.once('data', () => socket.write(OK, () => end(socket)));
    expect(await attempt(talk)).toMatchObject({ error: undefined, statusCode: 200 });
  });

  it('succeeds when the receiver then resets the connection', async () => {
    let tcp: Socket | undefined;
    const hidden = createServer(credentials(), (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(OK, () => tcp?.resetAndDestroy()));
    });
    const receiver = tcpReceiver((socket) => {
      tcp = socket;
      hidden.emit('connection', socket);
    });
    const { port } = await receiving(receiver);
    const result = await postTo(clientWith(), `https://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ error: undefined, statusCode: 200 });
  });

  it('succeeds when the headers come after the limit of the status line', async () => {
    const talk: Talk = (socket) =>
      void socket.once('data', async () => {
        socket.write(OK);
        await delay(2 * STATUS_MS);
        socket.end('Content-Length: 5\r\n\r\nfound');
      });
    const limits = { statusMs: STATUS_MS, answerMs: 20_000 };
    const result = await attempt(talk, limits);
    expect(result).toMatchObject({ error: undefined, statusCode: 200 });
    expect(Buffer.from(result.answerHead).toString()).toBe('found');
  });

  it.each<[string, string[]]>([
    ['without a reason', ['HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n']],
    ['with an empty reason', ['HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n']],
    ['with a reason in UTF-8', ['HTTP/1.1 200 \u00dcbernommen \u2713\r\n\r\n']],
    ['with a long reason', [`HTTP/1.1 200 ${'O'.repeat(10_000)}\r\n\r\n`]],
    ['of HTTP/1.0', ['HTTP/1.0 200 OK\r\n\r\n']],
    ['of a later minor version', ['HTTP/1.2 200 OK\r\n\r\n']],
    ['that ends with a bare line feed', ['HTTP/1.1 200 OK\nContent-Length: 0\n\n']],
    ['byte after byte', [...WHOLE]],
    ['after an empty line', [`\r\n${WHOLE}`]],
  ])('succeeds when the status line comes %s', async (_what, pieces) => {
    expect(await attempt(sending(...pieces))).toMatchObject({ error: undefined, statusCode: 200 });
  });
});

describe('attempt whose receiver sends no status line', () => {
  it.each<[string, string]>([
    ['noise before it', `noise${WHOLE}`],
    ['a line before it', `noise\r\n${WHOLE}`],
    ['lower case', 'http/1.1 200 ok\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['no status', 'HTTP/1.1\r\n\r\n'],
  ])('fails immediately for %s', async (_what, answer) => {
    expect(await attempt(sending(answer))).toMatchObject({ error: 'reset', statusCode: undefined });
  });

  it.each([
    ['after an interim response', CONTINUE],
    ['in an interim response', 'HTTP/1.1 100 Continue\r\nX: y\r\n'],
  ])('fails when the connection is closed %s', async (_what, answer) => {
    const talk: Talk = (socket) => void socket.once('data', () => socket.end(answer));
    expect(await attempt(talk)).toMatchObject({ error: 'reset', statusCode: undefined });
  });

  it.each([99, 600, 999])('fails with a status of %i, which has no class', async (code) => {
    const talk = sending(`HTTP/1.1 ${String(code).padStart(3, '0')} Odd\r\nContent-Length: 0\r\n\r\n`);
    expect(await attempt(talk)).toMatchObject({ error: 'status', statusCode: code });
  });
});

/**
 * Makes two attempts at one endpoint; the receiver answers the first with `first`, and requests on later connections
 * with 503.
 */
async function twice(first: (socket: TLSSocket) => void, between = async () => {}) {
  const receiver = await receiving(
    tlsReceiver(credentials(), (socket) => {
      const isFirst = receiver.connections() === 1;
      socket.on('data', () => (isFirst ? first(socket) : socket.write(BUSY)));
    }),
  );
  const client = clientWith({ answerMs: ANSWER_MS });
  const endpointId = newId<EndpointId>();
  const url = `https://127.0.0.1:${receiver.port}/`;
  const results = [await postTo(client, url, endpointId)];
  await between();
  results.push(await postTo(client, url, endpointId));
  return { results, connections: receiver.connections() };
}

describe('kept connection', () => {
  it.each<[string, string, string]>([
    ['with a length', `${OK}Content-Length: 2\r\n\r\nok`, 'ok'],
    ['in chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nX: y\r\n\r\n`, 'ok'],
    ['in chunks declared as Chunked', `${OK}Transfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 'ok'],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['after an interim response', `${CONTINUE}${WHOLE}`, ''],
  ])('serves the next attempt after a response %s', async (_what, answer, body) => {
    const { results, connections } = await twice((socket) => socket.write(answer));
    expect(results.map(({ answerHead }) => Buffer.from(answerHead).toString())).toEqual([body, body]);
    expect(results).toMatchObject([{ error: undefined }, { error: undefined }]);
    expect(connections).toBe(1);
  });

  it.each<[string, string]>([
    ['with more bytes than its length', `${OK}Content-Length: 2\r\n\r\nok${WHOLE}`],
    ['followed by a second one', WHOLE + WHOLE],
    [
      'with a body although its status has none',
      `HTTP/1.1 204 No Content\r\nContent-Length: 41\r\n\r\n${WHOLE}`,
    ],
    ['with two lengths', `${OK}Content-Length: 0\r\nContent-Length: 41\r\n\r\n${WHOLE}`],
    ['with a length and chunks', `${OK}Content-Length: 41\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['with nested chunks', `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['with malformed headers', `${OK}Content-Length : 41\r\nContent-Length: 0\r\n\r\n`],
    ['with malformed line ends', `${OK}Content-Length: 0\n\n`],
    ['that ends with the connection', `${OK}\r\n`],
    ['with Connection: close', `${OK}Connection: foo, CLOSE\r\nContent-Length: 0\r\n\r\n`],
    ['with a keep-alive timeout of 1 s', `${OK}Keep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n`],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['that upgrades', `${OK}Upgrade: x\r\nConnection: upgrade\r\nContent-Length: 0\r\n\r\n`],
    ['that is broken', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('is not reused after a response %s', async (_what, answer) => {
    const { results, connections } = await twice((socket) => socket.write(answer));
    expect(results).toMatchObject([{ error: undefined }, { error: 'status', statusCode: 503 }]);
    expect(connections).toBe(2);
  });

  it('is closed when unrequested bytes arrive', async () => {
    const sockets: TLSSocket[] = [];
    const { results, connections } = await twice(
      (socket) => {
        sockets.push(socket);
        socket.write(WHOLE);
      },
      async () => {
        const [socket] = sockets;
        if (!socket) throw new Error('there was no first request');
        socket.write(WHOLE);
        await once(socket, 'close');
      },
    );
    expect(results).toMatchObject([{ error: undefined }, { error: 'status', statusCode: 503 }]);
    expect(connections).toBe(2);
  });
});
