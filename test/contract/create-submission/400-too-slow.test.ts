import { connect } from 'node:net';
import { readStack } from '../../harness/stack.ts';

/** A request has to be whole after 15 s, its head after 10 s; what is slower is looked for every second. */
const PATIENCE_MS = 40_000;
const TEST_MS = PATIENCE_MS + 5_000;

/** Writes `start`, then a little of `more` again and again; resolves to the status line when the server hangs up. */
function drip(start: string, more: string): Promise<{ statusLine: string; afterMs: number }> {
  const { hostname, port } = new URL(readStack().gateway);
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    const dripping = setInterval(() => socket.write(more), 250);
    const tooLate = setTimeout(() => {
      socket.destroy();
      reject(new Error(`still open after ${PATIENCE_MS} ms`));
    }, PATIENCE_MS);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    // Writing to a connection that the server has closed is part of the game.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(dripping);
      clearTimeout(tooLate);
      resolve({ statusLine: received.split('\r\n')[0] ?? '', afterMs: performance.now() - began });
    });
    socket.write(start);
  });
}

const HEAD = 'POST /v1/supplier-submissions HTTP/1.1\r\nHost: gateway\r\n';

describe('a request that does not come to its end', () => {
  it(
    'is answered 400 and cut when its head drips in',
    async () => {
      const { statusLine } = await drip(HEAD, 'X-Padding: x\r\n');
      expect(statusLine).toBe('HTTP/1.1 400 Bad Request');
    },
    TEST_MS,
  );

  it(
    'is answered 400 and cut when its body drips in',
    async () => {
      const credential = readStack().suppliers.alpha?.credential;
      const head = `${HEAD}Authorization: Bearer ${credential}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`;
      const { statusLine, afterMs } = await drip(head, ' ');
      expect(statusLine).toBe('HTTP/1.1 400 Bad Request');
      expect(afterMs).toBeGreaterThan(5_000);
    },
    TEST_MS,
  );
});
