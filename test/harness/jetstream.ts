import { once } from 'node:events';
import { connect } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

const ANSWER_MS = 20_000;

/**
 * Calls a method of JetStream's API that needs no body, such as `STREAM.DELETE.SUBMISSION`, and returns the response.
 * Throws when NATS refuses it or doesn't answer within 5 s. `tls` is used for tls:// URLs.
 */
export async function callJetStream(
  url: string,
  method: string,
  tls: ConnectionOptions = {},
): Promise<unknown> {
  const { hostname: host, port, protocol, username: user, password: pass } = new URL(url);
  const plain = connect({ host, port: Number(port) });
  const bound = setTimeout(() => plain.destroy(new Error(`NATS did not respond to ${method}`)), ANSWER_MS);
  try {
    const ended = once(plain, 'close').then(() => Promise.reject(new Error('NATS ended the connection')));
    // Only relevant until the server has spoken.
    ended.catch(() => undefined);
    // The server speaks first, in clear; TLS starts after that line.
    await Promise.race([once(plain, 'data'), ended]);
    const socket = protocol === 'tls:' ? connectTls({ socket: plain, host, ...tls }) : plain;
    const login = user ? { user, pass: decodeURIComponent(pass) } : {};
    socket.setEncoding('utf8');
    socket.write(
      `CONNECT ${JSON.stringify({ verbose: false, ...login })}\r\nSUB answer 1\r\n` +
        `PUB $JS.API.${method} answer 0\r\n\r\n`,
    );
    let heard = '';
    for await (const text of socket) {
      heard += text;
      const answer = /^MSG [^\r]*\r\n(.*)\r\n/m.exec(heard)?.[1];
      if (answer === undefined) continue;
      const response: unknown = JSON.parse(answer);
      if (Object.hasOwn(Object(response), 'error')) throw new Error(answer);
      return response;
    }
    throw new Error(`NATS ended the connection: ${heard}`);
  } finally {
    clearTimeout(bound);
    plain.destroy();
  }
}
