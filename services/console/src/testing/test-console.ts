import { Registry } from '@supplier/lib/runtime/metrics';
import { tlsConnector } from '@supplier/lib/runtime/tls';
import type { TestProcess } from '@supplier/lib/testing';
import type { FastifyInstance } from 'fastify';
import { buildConsole, type ConsoleParts } from '../app.ts';
import { readConfig } from '../config.ts';
import { servePages as serveBuilt } from '../pages/serve-pages.ts';
import { openStore } from '../sessions/open-store.ts';
import type { TestIdentityProvider } from './test-identity-provider.ts';

export const URL_OF_CONSOLE = 'http://127.0.0.1:8083';

export interface TestConsoleParts {
  readonly process: TestProcess;
  readonly provider: TestIdentityProvider;
  /** Address of every service, except the webhook service when `webhooks` is set. */
  readonly services: string;
  readonly webhooks?: string;
  readonly now: () => number;
  readonly env?: Readonly<Record<string, string>>;
  readonly servePages?: ConsoleParts['servePages'];
}

/** Builds a console for one test, serving the source of its page instead of the built one. */
export async function testConsole({
  process,
  provider,
  services,
  webhooks = services,
  now,
  env,
  servePages = (app) => serveBuilt(app, new URL('../../web/', import.meta.url)),
}: TestConsoleParts): Promise<FastifyInstance> {
  const { log, stopping } = process;
  const config = readConfig({
    SSS_DEPLOYMENT: 'local',
    SSS_HTTP_PORT: '1',
    SSS_PRIVATE_PORT: '2',
    SSS_CONSOLE_URL: URL_OF_CONSOLE,
    SSS_OIDC_ISSUER_URL: provider.url,
    SSS_OIDC_CLIENT_ID: 'console',
    SSS_ACCOUNT_URL: services,
    SSS_SUBMISSION_URL: services,
    SSS_DOCUMENT_URL: services,
    SSS_BILLING_URL: services,
    SSS_WEBHOOK_URL: webhooks,
    ...env,
  });
  const { store, keys } = await openStore(process, {
    ...{ shared: config.sharedSessions, idleMs: config.sessions.idleMs, now },
    folder: new URL('../../', import.meta.url),
  });
  return buildConsole({
    config,
    log,
    metrics: new Registry(),
    connect: tlsConnector(config.tls, log, 500),
    ...{ store, keys },
    servePages,
    stopping,
    now,
  });
}

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>;

/** Returns the value a cookie was set to, or an empty string when it was not set. */
export const cookieOf = (from: Answer, name: string): string =>
  from.cookies.find((cookie) => cookie.name === name && cookie.value !== '')?.value ?? '';

/** Logs in the provider's person and returns the last response of the login. */
export async function logIn(
  app: FastifyInstance,
  provider: TestIdentityProvider,
  path = '/',
  replaced = '',
): Promise<Answer> {
  const begun = await app.inject({ url: '/login', query: { path }, cookies: { console: replaced } });
  const back = provider.login(String(begun.headers.location));
  return app.inject({
    url: `${back.pathname}${back.search}`,
    cookies: { 'console-login': cookieOf(begun, 'console-login') },
  });
}
