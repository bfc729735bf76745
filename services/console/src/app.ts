import type { Logger } from '@supplier/lib/log';
import { Gauge, type Registry } from '@supplier/lib/metrics';
import { type FastifyInstance, fastify } from 'fastify';
import type { buildConnector } from 'undici';
import { forwardCalls } from './calls/forward-calls.ts';
import type { ConsoleConfig } from './config.ts';
import { begunLogins } from './login/begun-logins.ts';
import { identityProvider } from './login/identity-provider.ts';
import { CALLBACK, serveLogin } from './login/log-in.ts';
import { personOf } from './login/person-of.ts';
import { applyBrowserRules } from './pages/browser-rules.ts';
import { servePages } from './pages/serve-pages.ts';
import { cookiesOf } from './sessions/cookies.ts';
import { Sessions } from './sessions/sessions.ts';

/** A whole request must be here within this time. */
const REQUEST_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_HEAD_BYTES = 16_384;

export interface ConsoleParts {
  readonly config: ConsoleConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly connect: buildConnector.connector;
  /** Where the built application lies. */
  readonly pages: URL;
  /** Aborts when the process begins to stop. */
  readonly stopping: AbortSignal;
  readonly now?: () => number;
}

/** Builds the console: a login, the calls of whoever is logged in, and the application that makes them. */
export function buildConsole({
  config,
  log,
  metrics,
  connect,
  pages,
  stopping,
  now = Date.now,
}: ConsoleParts): FastifyInstance {
  const { url, oidc, roleClaim, targets, sessions: bounds } = config;
  const app = fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    http: { maxHeaderSize: MAX_HEAD_BYTES },
  });
  app.setErrorHandler((err: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode } = err;
    const isTheirs = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
    if (!isTheirs) log.error({ err }, 'request failed');
    return isTheirs
      ? reply.code(statusCode).send({ code: 'invalid_argument', message: 'This request cannot be read.' })
      : reply.code(503).send({ code: 'unavailable', message: 'The console has failed. Try again.' });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ code: 'not_found', message: 'There is nothing here.' }),
  );
  const provider = identityProvider(oidc, new URL(CALLBACK, url), now);
  const personIn = (accessToken: string) => personOf(accessToken, roleClaim);
  const sessions = new Sessions({ ...bounds, now, renew: provider.renew, personOf: personIn });
  const cookies = cookiesOf(url);
  new Gauge({
    name: 'sss_console_sessions',
    help: 'People’s browsers that are logged in.',
    registers: [metrics],
    collect() {
      this.set(sessions.size);
    },
  });

  applyBrowserRules(app, url);
  serveLogin(app, {
    url,
    personOf: personIn,
    provider,
    begunLogins: begunLogins(now),
    sessions,
    cookies,
    log,
  });
  forwardCalls(app, { targets, connect, sessions, cookies, metrics, log, stopping });
  servePages(app, pages);
  return app;
}
