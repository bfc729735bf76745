import { connect } from 'node:net';
import type { Answer } from './http.ts';
import { checkAnswer } from './promises.ts';

/**
 * Writes `head` (request lines without line endings) and `body` to a new connection verbatim, and checks the first
 * response like any other. For requests that a well-behaved client can't send. Times out after 10 s.
 */
export async function callRaw(
  origin: string,
  head: readonly string[],
  body: Uint8Array | string = '',
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const received = await exchange(hostname, Number(port), `${head.join('\r\n')}\r\n\r\n`, body);
  const [method = '', path = ''] = (head[0] ?? '').split(' ');
  return checkAnswer({ method, path, headers: {} }, parse(received));
}

function exchange(host: string, port: number, head: string, body: Uint8Array | string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host, port });
    const finish = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    socket.setTimeout(10_000, () => {
      socket.destroy();
      reject(
        new Error(`no complete response within 10 s; so far: ${Buffer.concat(chunks).toString('latin1')}`),
      );
    });
    // A server may refuse before it has read everything; a complete response sent before it closes still counts.
    socket.on('error', (error) => (isWhole(Buffer.concat(chunks)) ? finish() : reject(error)));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks))) finish();
    });
    socket.on('close', finish);
    socket.write(head);
    socket.write(body);
  });
}

function isWhole(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(received.subarray(0, end).toString('latin1'))?.[1];
  return length !== undefined && received.length >= end + 4 + Number(length);
}

function parse(received: Buffer): Pick<Answer, 'status' | 'headers' | 'text'> {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`not an HTTP response: ${JSON.stringify(received.toString('latin1'))}`);
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, text: received.subarray(end + 4).toString() };
}
