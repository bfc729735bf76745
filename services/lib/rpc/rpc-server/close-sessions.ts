import type { Http2SecureServer, Http2Server, ServerHttp2Session } from 'node:http2';
import type { Logger } from '../../runtime/log/index.ts';

const SESSION_GRACE_MS = 2_000;

/**
 * Watches an HTTP/2 server and returns a function that ends its sessions: it sends GOAWAY, and cuts those that have not
 * ended after two seconds. The caller must have stopped listening first.
 */
export function closeSessions(server: Http2Server | Http2SecureServer, log: Logger): () => Promise<void> {
  const sessions = new Set<ServerHttp2Session>();
  let closing = false;
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', (err) => log.debug({ err }, 'HTTP/2 session failed'));
    if (closing) session.close();
  });
  return async () => {
    closing = true;
    const ended = [...sessions].map((session) => new Promise((resolve) => session.once('close', resolve)));
    for (const session of sessions) session.close();
    // A client may keep its session open: after a grace period for calls in flight it is cut.
    const cut = setTimeout(() => {
      for (const session of sessions) session.destroy();
    }, SESSION_GRACE_MS);
    cut.unref();
    await Promise.all(ended);
  };
}
