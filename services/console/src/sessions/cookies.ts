import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionId } from './sessions.ts';

/** Formats of the values we set: a session id and a sealed login. */
const VALUES = { session: /^[A-Za-z0-9_-]{43}$/, login: /^[A-Za-z0-9_.-]{1,2000}$/ };

/** The console's two cookies. Scripts can't read either, and pages of other sites don't send the session cookie. */
export interface Cookies {
  sessionOf(request: FastifyRequest): SessionId | undefined;
  /** Returns the sealed login that this browser began. */
  loginOf(request: FastifyRequest): string | undefined;
  setSession(reply: FastifyReply, id: SessionId): void;
  setLogin(reply: FastifyReply, sealed: string, seconds: number): void;
  clear(reply: FastifyReply, which: 'session' | 'login'): void;
}

/**
 * Creates the cookies for `url`, where people reach the console. With TLS, browsers send them to that host only, and
 * only over TLS.
 */
export function cookiesOf(url: URL): Cookies {
  const isSecure = url.protocol === 'https:';
  const prefix = isSecure ? '__Host-' : '';
  const names = { session: `${prefix}console`, login: `${prefix}console-login` };
  const flags = `Path=/; HttpOnly${isSecure ? '; Secure' : ''}`;
  // A login ends with a redirect from another site, on which browsers don't send a strict cookie.
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

/** Returns the value of a cookie, or undefined when it occurs several times or has a format we never set. */
function cookieOf({ headers }: FastifyRequest, name: string, form: RegExp): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const values = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && form.test(value) ? value : undefined;
}
