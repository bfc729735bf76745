import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionId } from './sessions.ts';

const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** The two cookies of the console. Scripts see neither, and no other site's page sends the one of the session. */
export interface Cookies {
  sessionOf(request: FastifyRequest): SessionId | undefined;
  /** Of a login that was begun in this browser. */
  attemptOf(request: FastifyRequest): string | undefined;
  setSession(reply: FastifyReply, id: SessionId): void;
  setAttempt(reply: FastifyReply, id: string, seconds: number): void;
  clear(reply: FastifyReply, which: 'session' | 'attempt'): void;
}

/** `url` is where people reach the console: over TLS, browsers send the cookies to that host alone, and over TLS alone. */
export function cookiesOf(url: URL): Cookies {
  const isSecure = url.protocol === 'https:';
  const prefix = isSecure ? '__Host-' : '';
  const names = { session: `${prefix}console`, attempt: `${prefix}console-login` };
  const flags = `Path=/; HttpOnly${isSecure ? '; Secure' : ''}`;
  // A login ends with a way back from another site, which a strict cookie would not travel with.
  const sites = { session: 'Strict', attempt: 'Lax' };
  const set = (reply: FastifyReply, which: keyof typeof names, value: string, lasting = '') =>
    void reply.header('set-cookie', `${names[which]}=${value}; ${flags}; SameSite=${sites[which]}${lasting}`);
  return {
    sessionOf: (request) => cookieOf(request, names.session) as SessionId | undefined,
    attemptOf: (request) => cookieOf(request, names.attempt),
    setSession: (reply, id) => set(reply, 'session', id),
    setAttempt: (reply, id, seconds) => set(reply, 'attempt', id, `; Max-Age=${seconds}`),
    clear: (reply, which) => set(reply, which, '', '; Max-Age=0'),
  };
}

/** The one value of a cookie; undefined when it has several, or one that we never set. */
function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const values = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
}
