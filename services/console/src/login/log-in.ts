import type { Logger } from '@supplier/lib/runtime/log';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Cookies } from '../sessions/cookies.ts';
import type { Person, Tokens } from '../sessions/session-store.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type BegunLogins, LOGIN_SECONDS } from './begun-logins.ts';
import type { IdentityProvider } from './identity-provider.ts';

export const CALLBACK = '/login/callback';

export interface LoginParts {
  readonly url: URL;
  /** Returns the person an access token is for. Throws when it has no subject. */
  readonly personOf: (accessToken: string) => Person;
  readonly provider: IdentityProvider;
  readonly begunLogins: BegunLogins;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly log: Logger;
}

/**
 * Serves the login. `GET /login` redirects to the identity provider, which redirects back to the callback with a code.
 * `GET /session` returns the logged-in person. `POST /logout` ends all of that person's sessions, and the next login
 * asks for credentials. A browser can finish only the login that it began, and the provider accepts each code once.
 */
export function serveLogin(app: FastifyInstance, parts: LoginParts): void {
  const { url, personOf, provider, begunLogins, sessions, cookies, log } = parts;

  app.get<{ Querystring: { path?: unknown; again?: unknown } }>('/login', async (request, reply) => {
    try {
      const { url: away, attempt } = await provider.begin(request.query.again !== undefined);
      const sealed = begunLogins.seal({
        attempt,
        path: pathWithin(url, request.query.path),
        replaces: cookies.sessionOf(request),
      });
      cookies.setLogin(reply, sealed, LOGIN_SECONDS);
      return reply.redirect(away.href, 303);
    } catch (err) {
      log.warn({ err }, 'identity provider unavailable');
      return say(
        reply,
        503,
        'You cannot log in now: the identity provider does not answer. Try again in a minute.',
      );
    }
  });

  // A HEAD request must not use up the code.
  app.get(CALLBACK, { exposeHeadRoute: false }, async (request, reply) => {
    const sealed = cookies.loginOf(request);
    const begun = sealed === undefined ? undefined : begunLogins.open(sealed);
    cookies.clear(reply, 'login');
    if (!begun) return say(reply, 400, 'This login is over, or was begun in another browser.');
    let tokens: Tokens;
    let person: Person;
    try {
      tokens = await provider.finish(new URL(request.url, url), begun.attempt);
      person = personOf(tokens.accessToken);
    } catch (err) {
      log.warn({ err }, 'login failed');
      return say(reply, 400, 'The identity provider did not confirm this login.');
    }
    if (person.roles.length === 0)
      return say(reply, 403, 'Your account has no staff role. Ask an administrator for one.');
    try {
      if (begun.replaces !== undefined) await sessions.end(begun.replaces);
      cookies.setSession(reply, await sessions.begin(person, tokens));
      return reply.redirect(begun.path, 303);
    } catch (err) {
      log.error({ err }, 'sessions unavailable');
      return say(
        reply,
        503,
        'You cannot log in now: the console cannot save your session. Try again in a minute.',
      );
    }
  });

  app.get('/session', async (request, reply) => {
    const id = cookies.sessionOf(request);
    const session = id && (await sessions.find(id));
    if (!session) return reply.code(401).send({ code: 'unauthenticated', message: 'You are not logged in.' });
    const { person, endsAt } = session;
    return reply.send({
      subject: person.subject,
      roles: person.roles,
      endsAt: new Date(endsAt).toISOString(),
    });
  });

  app.post('/logout', async (request, reply) => {
    const id = cookies.sessionOf(request);
    if (id) await sessions.endAllOf(id);
    cookies.clear(reply, 'session');
    return reply.code(204).send();
  });

  // Don't redirect to the login: a provider that still has a session would log in the next person at this browser.
  app.get('/logged-out', (_request, reply) =>
    say(
      reply,
      200,
      'You are logged out of the console in all browsers. You may still be logged in at the identity provider.',
      '/login?again',
    ),
  );
}

/** Returns `asked` if it is a path of the console, otherwise `/`. */
function pathWithin(url: URL, asked: unknown): string {
  if (typeof asked !== 'string' || !asked.startsWith('/') || asked.length > 500) return '/';
  if (!URL.canParse(asked, url.href)) return '/';
  const { pathname, search } = new URL(asked, url);
  // Browsers read the text after two slashes as a host.
  return pathname.startsWith('//') ? '/' : `${pathname}${search}`;
}

/** Sends a page with one fixed sentence, which contains nothing from the request, and a link to the login. */
function say(reply: FastifyReply, status: number, sentence: string, login = '/login'): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Staff console</title>
<h1>Staff console</h1>
<p>${sentence}</p>
<p><a href="${login}">Log in</a></p>
</html>
`);
}
