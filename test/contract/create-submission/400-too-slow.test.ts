import { connect } from 'node:net';
import { readStack } from '../../harness/stack.ts';

/** A request must be complete after 15 s and its head after 10 s; the server checks every second. */
const PATIENCE_MS = 40_000;
const TEST_MS = PATIENCE_MS + 5_000;

/** Writes `start`, then `more` repeatedly; resolves to the status line when the server closes the connection. */
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
    // Writing to a connection that the server has closed is expected here.
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

// At the same time, because each takes most of its limit.
it(
  'returns 400 and closes the connection when the head or the body is too slow',
  async () => {
    const credential = readStack().suppliers.alpha?.credential;
    const whole = `${HEAD}Authorization: Bearer ${credential}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`;
    const [head, body] = await Promise.all([drip(HEAD, 'X-Padding: x\r\n'), drip(whole, ' ')]);
    for (const { statusLine } of [head, body]) expect(statusLine).toBe('HTTP/1.1 400 Bad Request');
    expect(body.afterMs).toBeGreaterThan(5_000);
  },
  TEST_MS,
);
