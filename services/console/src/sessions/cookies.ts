import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionId } from './sessions.ts';

/** What we set: an id of a session, and a sealed login. */
const VALUES = { session: /^[A-Za-z0-9_-]{43}$/, login: /^[A-Za-z0-9_.-]{1,2000}$/ };

/** The two cookies of the console. Scripts see neither, and no other site's page sends the one of the session. */
export interface Cookies {
  sessionOf(request: FastifyRequest): SessionId | undefined;
  /** A login that was begun in this browser, sealed. */
  loginOf(request: FastifyRequest): string | undefined;
  setSession(reply: FastifyReply, id: SessionId): void;
  setLogin(reply: FastifyReply, sealed: string, seconds: number): void;
  clear(reply: FastifyReply, which: 'session' | 'login'): void;
}

/** `url` is where people reach the console: over TLS, browsers send the cookies to that host alone, and over TLS alone. */
export function cookiesOf(url: URL): Cookies {
  const isSecure = url.protocol === 'https:';
  const prefix = isSecure ? '__Host-' : '';
  const names = { session: `${prefix}console`, login: `${prefix}console-login` };
  const flags = `Path=/; HttpOnly${isSecure ? '; Secure' : ''}`;
  // A login ends with a way back from another site, which a strict cookie would not travel with.
  const sites = { session: 'Strict', login: 'Lax' };
  const set = (reply: FastifyReply, which: keyof typeof names, value: string, lasting = '') =>
    void reply.header('set-cookie', `${names[which]}=${value}; ${flags}; SameSite=${sites[which]}${lasting}`);
  return {
    sessionOf: (request) => cookieOf(request, names.session, VALUES.session) as SessionId | undefined,
    loginOf: (request) => cookieOf(request, names.login, VALUES.login),
    setSession: (reply, id) => set(reply, 'session', id),
    setLogin: (reply, sealed, seconds) => set(reply, 'login', sealed, `; Max-Age=${seconds}`),
    clear: (reply, which) => set(reply, which, '', '; Max-Age=0'),
  };
}

/** The one value of a cookie; undefined when it has several, or one that we never set. */
function cookieOf({ headers }: FastifyRequest, name: string, form: RegExp): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const values = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && form.test(value) ? value : undefined;
}
