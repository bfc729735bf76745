import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:tls';
import { guardedClientTests, postTo } from '../../testing/guarded-client-tests.ts';
import { nameServer } from '../../testing/name-server.ts';
import { tcpReceiver } from '../../testing/receivers.ts';
import { resolvingBy } from './connect.ts';

/** Minimum duration of each phase. */
const DNS_MS = 150;
const CONNECT_MS = 250;
const TLS_MS = 350;
const ANSWER_MS = 450;
/** Timers may fire up to one millisecond early. */
const ROUNDING_MS = 1;

const { credentials, clientWith, receiving } = guardedClientTests();

/** Blocks the event loop for CONNECT_MS whenever a connection starts. */
function slowConnections() {
  const standStill = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CONNECT_MS);
  };
  subscribe('net.client.socket', standStill);
  return { close: () => void unsubscribe('net.client.socket', standStill) };
}

it("the guarded client reports the duration of each phase, in agreement with the name server's and receiver's clocks", async () => {
  const at = { handshake: Number.NaN, request: Number.NaN, answer: Number.NaN };
  const names = await nameServer({
    A: { addresses: ['127.0.0.1'], afterMs: DNS_MS },
    AAAA: { addresses: [], afterMs: DNS_MS },
  });
  const tls = createServer(credentials(), (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      at.request = performance.now();
      setTimeout(() => {
        at.answer = performance.now();
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      }, ANSWER_MS);
    });
  });
  const { port } = await receiving(
    tcpReceiver((socket) => {
      // The handshake starts with the client's bytes, so the connection is established by then.
      socket.once('readable', () => {
        setTimeout(() => {
          at.handshake = performance.now();
          tls.emit('connection', socket);
        }, TLS_MS);
      });
    }),
  );
  const client = clientWith({ resolve: resolvingBy([names.address]) });
  const slow = slowConnections();

  const sentAt = performance.now();
  const result = await postTo(client, `https://receiver.test:${port}/`);
  const endedAt = performance.now();
  slow.close();
  names.close();

  expect(result).toMatchObject({ error: undefined, statusCode: 200 });
  const untilHandshakeMs = at.handshake - sentAt;
  /** Each phase lasts at least as long as it was delayed, and at most the time in which nothing else was delayed. */
  const phases: [phase: string, ms: number | undefined, atLeast: number, atMost: number][] = [
    ['name', result.dnsMs, DNS_MS, untilHandshakeMs - CONNECT_MS - TLS_MS],
    ['connection', result.connectMs, CONNECT_MS, untilHandshakeMs - DNS_MS - TLS_MS],
    ['TLS', result.tlsMs, TLS_MS, at.request - sentAt - DNS_MS - CONNECT_MS],
    ['status line', result.statusMs, at.answer - at.request, endedAt - at.handshake],
  ];
  for (const [phase, ms = Number.NaN, atLeast, atMost] of phases) {
    const isWithin = ms >= atLeast - ROUNDING_MS && ms <= atMost + 2 * ROUNDING_MS;
    expect([phase, isWithin, ms, atLeast, atMost]).toEqual([phase, true, ms, atLeast, atMost]);
  }
});
