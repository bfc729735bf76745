import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '@supplier/lib/log';
import { Counter, type Registry } from '@supplier/lib/metrics';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type buildConnector, Pool } from 'undici';
import type { Cookies } from '../sessions/cookies.ts';
import type { SessionId, Sessions } from '../sessions/sessions.ts';
import { type StaffMethod, staffMethods, type Target } from './staff-methods.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const CONNECTIONS = 64;
/** Calls under way: of a session, more than a screen ever makes; in all, what the connections bear. */
const MOST_OF_SESSION = 32;
const MOST = 256;
const UNARY_MS = 10_000;
const STREAM_MS = 600_000;
/** What callers say of a call, beside its content. */
const REQUEST_HEADERS = [
  'content-type',
  'content-encoding',
  'connect-protocol-version',
  'connect-content-encoding',
];
/** Whom a page takes its reader for: a login that was replaced by somebody else's is over for it. */
const PERSON = 'console-person';
const ANSWER_HEADER =
  /^(?:content-type|content-encoding|content-length|connect-[a-z-]+|trailer-[a-z-]+|x-request-id)$/;
const CONTENT_TYPES = [
  'application/proto',
  'application/json',
  'application/connect+proto',
  'application/connect+json',
];

export interface ForwardParts {
  readonly targets: Readonly<Record<Target, string>>;
  /** Opens connections to services. */
  readonly connect: buildConnector.connector;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly metrics: Registry;
  readonly log: Logger;
}

/**
 * `POST /rpc/TARGET/package.Service/Method`: the same call at that service, with the token of the person who is logged in,
 * its answer passed on as it comes. The console adds no right and takes none: services decide, and answer.
 */
export function forwardCalls(app: FastifyInstance, parts: ForwardParts): void {
  const { targets, connect, sessions, cookies, log } = parts;
  const poolOf = (target: Target) => new Pool(targets[target], { connections: CONNECTIONS, connect });
  const pools: Readonly<Record<Target, Pool>> = {
    account: poolOf('account'),
    submission: poolOf('submission'),
    document: poolOf('document'),
    billing: poolOf('billing'),
    webhook: poolOf('webhook'),
  };
  app.addHook('onClose', async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
  });
  const counted = new Counter({
    name: 'sss_console_calls_total',
    help: 'Calls that the console has passed on, by service and status of the answer; `none` where there was none.',
    labelNames: ['target', 'status'],
    registers: [parts.metrics],
  });
  const underWay = new Map<SessionId, number>();
  let all = 0;

  app.addContentTypeParser(
    CONTENT_TYPES,
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    (_request, body, done) => done(null, body),
  );
  app.post<{ Params: { target: string; service: string; method: string } }>(
    '/rpc/:target/:service/:method',
    async (request, reply) => {
      const { target, service, method } = request.params;
      const called = staffMethods.get(`${target}/${service}/${method}`);
      if (!called) return refuse(reply, 404, 'unimplemented', 'Staff have no such call.');
      const id = cookies.sessionOf(request);
      const subject = id && sessions.find(id)?.person.subject;
      if (!id || subject === undefined || request.headers[PERSON] !== encodeURIComponent(subject))
        return refuse(reply, 401, 'unauthenticated', 'You are not logged in, or no longer.');
      let token: string | undefined;
      try {
        token = await sessions.tokenOf(id);
      } catch (err) {
        log.warn({ err }, 'identity provider unavailable');
        return refuse(
          reply,
          503,
          'unavailable',
          'The identity provider does not answer. Try again in a minute.',
        );
      }
      if (token === undefined)
        return refuse(reply, 401, 'unauthenticated', 'You are not logged in, or no longer.');
      // Whoever left meanwhile would never give back a place.
      if (reply.raw.destroyed) return reply;
      const own = underWay.get(id) ?? 0;
      if (own >= MOST_OF_SESSION || all >= MOST)
        return refuse(reply, 429, 'resource_exhausted', 'Too many calls at once: wait for those under way.');
      underWay.set(id, own + 1);
      all += 1;
      reply.raw.once('close', () => {
        all -= 1;
        const left = (underWay.get(id) ?? 1) - 1;
        if (left > 0) underWay.set(id, left);
        else underWay.delete(id);
      });
      return pass(called, token, request, reply);
    },
  );

  async function pass(called: StaffMethod, token: string, request: FastifyRequest, reply: FastifyReply) {
    const { target, path, isStream } = called;
    const requestId = randomUUID();
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(isStream ? STREAM_MS : UNARY_MS)]);
    try {
      const answer = await pools[target].request({
        path,
        method: 'POST',
        headers: { ...kept(request.headers), authorization: `Bearer ${token}`, 'x-request-id': requestId },
        body: request.body as Buffer,
        signal,
      });
      counted.inc({ target, status: String(answer.statusCode) });
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined && ANSWER_HEADER.test(name)) reply.header(name, value);
      return reply.code(answer.statusCode).send(answer.body);
    } catch (err) {
      counted.inc({ target, status: 'none' });
      if (!gone.signal.aborted)
        log.warn({ err, resource: target, request_id: requestId }, 'call not answered');
      return refuse(
        reply,
        503,
        'unavailable',
        `The ${target} service does not answer. What you see may be old; try again.`,
      );
    }
  }
}

const kept = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    REQUEST_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** As services refuse, so that one client understands both. */
const refuse = (reply: FastifyReply, status: number, code: string, message: string): FastifyReply =>
  reply.code(status).send({ code, message });
