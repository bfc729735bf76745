import type { Server } from 'node:http';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { claimedRoles } from '@supplier/lib/rpc/claimed-roles';
import { addressKey } from '@supplier/lib/rpc/client-address';
import type { Logger } from '@supplier/lib/runtime/log';
import { Gauge, type Registry } from '@supplier/lib/runtime/metrics';
import { type FastifyInstance, fastify } from 'fastify';
import { decodeJwt } from 'jose';
import type { buildConnector } from 'undici';
import { forwardCalls } from './calls/forward-calls.ts';
import type { ConsoleConfig } from './config.ts';
import { begunLogins } from './login/begun-logins.ts';
import { identityProvider } from './login/identity-provider.ts';
import { CALLBACK, serveLogin } from './login/log-in.ts';
import { applyBrowserRules, securityHeaders } from './pages/browser-rules.ts';
import { refuseUnreadable, serveExpectations, UNREADABLE } from './pages/refuse-unreadable.ts';
import { cookiesOf } from './sessions/cookies.ts';
import type { Person, SessionStore } from './sessions/session-store.ts';
import { Sessions } from './sessions/sessions.ts';
import { watchEnds } from './sessions/watch-ends.ts';

/** The head and the whole of a request must arrive within these times. */
const HEAD_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** How often late requests are checked for. */
const CHECK_INTERVAL_MS = 1_000;
const MAX_CONNECTIONS = 1_000;
/** Calls have a separate limit. */
const MAX_BODY_BYTES = 1_024;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_HEAD_BYTES = 16_384;

export interface ConsoleParts {
  readonly config: ConsoleConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly connect: buildConnector.connector;
  readonly store: SessionStore;
  /** Seals logins in progress. */
  readonly keys: KeyRing;
  /** Serves the browser application. */
  readonly servePages: (app: FastifyInstance, stopping: AbortSignal) => void;
  /** Aborts when the process begins to stop. */
  readonly stopping: AbortSignal;
  readonly now?: () => number;
}

/** Builds the console: the login, call forwarding for people who are logged in, and the browser application. */
export function buildConsole({
  config,
  log,
  metrics,
  connect,
  store,
  keys,
  servePages,
  stopping,
  now = Date.now,
}: ConsoleParts): FastifyInstance {
  const { url, oidc, roleClaim, targets, sessions: bounds } = config;
  const app = fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    http: {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false,
    },
    ...refuseUnreadable(securityHeaders(url)),
  });
  serveExpectations(app.server);
  app.server.maxConnections = MAX_CONNECTIONS;
  boundConnections(app.server, config.connectionsPerAddress);
  app.setErrorHandler((err: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode } = err;
    const isTheirs = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
    if (!isTheirs) log.error({ err }, 'request failed');
    return isTheirs
      ? reply.code(statusCode).send(UNREADABLE)
      : reply.code(503).send({ code: 'unavailable', message: 'The console has failed. Try again.' });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ code: 'not_found', message: 'There is nothing here.' }),
  );
  const provider = identityProvider(oidc, new URL(CALLBACK, url), now);
  const personOf = personReader(roleClaim);
  const sessions = new Sessions({ ...bounds, store, now, renew: provider.renew, personOf });
  const cookies = cookiesOf(url);
  new Gauge({
    name: 'sss_console_sessions',
    help: 'People’s browsers that are logged in, at all replicas.',
    registers: [metrics],
    async collect() {
      this.set(await sessions.count().catch(() => Number.NaN));
    },
  });
  const stopWatching = watchEnds(sessions, log, now);
  app.addHook('onClose', async () => stopWatching());

  applyBrowserRules(app, url);
  serveLogin(app, {
    url,
    personOf,
    provider,
    begunLogins: begunLogins(keys, now),
    sessions,
    cookies,
    log,
  });
  forwardCalls(app, { targets, connect, sessions, cookies, metrics, log, stopping });
  servePages(app, stopping);
  return app;
}

/** Closes connections beyond `maxPerAddress` from one address (one /64 for IPv6). */
function boundConnections(server: Server, maxPerAddress: number): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const key = addressKey(socket.remoteAddress ?? '');
    const taken = open.get(key) ?? 0;
    if (taken >= maxPerAddress) return void socket.destroy();
    open.set(key, taken + 1);
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  });
}

const STAFF = /^staff:[a-z-]{1,60}$/;

/**
 * Returns a function that reads the person from an access token without verifying it. This is enough to show what a
 * person may do, because the services check the token on each call. `roleClaim` is the path of the claim that contains
 * the roles. The function throws for a token that is not a JWT or has no subject.
 */
export function personReader(roleClaim: string): (accessToken: string) => Person {
  const rolesOf = claimedRoles(roleClaim);
  return (accessToken) => {
    const claims = decodeJwt(accessToken);
    const { sub } = claims;
    if (sub === undefined || sub === '') throw new Error('cannot log in: the access token has no subject');
    // Services reject a token whose roles can't be read.
    return { subject: sub, roles: rolesOf(claims)?.filter((role) => STAFF.test(role)) ?? [] };
  };
}
