import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import type { Logger } from '@supplier/lib/runtime/log';
import { Counter, type Registry } from '@supplier/lib/runtime/metrics';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type buildConnector, Pool } from 'undici';
import type { Cookies } from '../sessions/cookies.ts';
import type { Session, SessionId, Sessions } from '../sessions/sessions.ts';
import { type StaffMethod, staffMethods } from './staff-methods.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/**
 * Calls in flight to one service: of everybody together, so that a service that hangs holds up only itself, and of one
 * person, whatever their number of browsers, so that nobody crowds out their colleagues.
 */
const MAX_CALLS = 64;
const MAX_CALLS_PER_PERSON = 16;
/** Streams have connections of their own: each keeps one for as long as somebody watches. */
const MAX_STREAMS = 500;
const MAX_STREAMS_PER_PERSON = 50;
/** Longer than services let any stream last. */
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
/** What they may do by their newest token, with commas between: a page that was opened before learns of it. */
const ROLES = 'console-roles';
/** Sent with calls that a person caused in the last minute. Calls without it are polling, which keeps no session alive. */
const ACTIVE = 'console-active';
const NOT_LOGGED_IN = 'You are not logged in, or no longer.';
const TOO_MANY = 'Too many calls at once. Wait for those in progress, then try again.';
const ANSWER_HEADER =
  /^(?:content-type|content-encoding|content-length|connect-[a-z-]+|trailer-[a-z-]+|x-request-id)$/;
const STREAM = 'application/connect+proto';
const CONTENT_TYPES = ['application/proto', 'application/json', STREAM, 'application/connect+json'];
/** What stands before the last message of a stream in Connect's protocol. */
const END_OF_STREAM = 2;

export interface ForwardParts {
  readonly targets: Readonly<Record<StaffService, string>>;
  /** Opens connections to services. */
  readonly connect: buildConnector.connector;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly metrics: Registry;
  readonly log: Logger;
  /** Aborts when the process begins to stop, which must not wait for streams. */
  readonly stopping: AbortSignal;
}

interface Route {
  Params: { target: string; service: string; method: string };
}

/** A call of somebody who is logged in. */
interface AdmittedCall {
  readonly called: StaffMethod;
  readonly id: SessionId;
  readonly session: Session;
  /** Whether a person caused it. */
  readonly isUse: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: AdmittedCall | null;
  }
}

/** What a call is made with. */
interface Means {
  readonly token: string;
  readonly signal: AbortSignal;
  readonly session: Session;
}

/**
 * `POST /rpc/TARGET/package.Service/Method`: the same call at that service, with the token of the person who is logged in,
 * its answer passed on as it comes. The console adds no right and takes none: services decide, and answer. A stream is cut
 * when its session ends, when its browser leaves, and when the process stops.
 */
export function forwardCalls(app: FastifyInstance, parts: ForwardParts): void {
  const { connect, sessions, cookies, log } = parts;
  const calls = poolsTo(parts.targets, MAX_CALLS, connect);
  const streams = poolsTo(parts.targets, MAX_STREAMS, connect);
  app.addHook('onClose', async () => {
    await Promise.all([calls, streams].flatMap(Object.values<Pool>).map((pool) => pool.destroy()));
  });
  const counted = new Counter({
    name: 'sss_console_calls_total',
    help: 'Calls that the console has passed on, by service and status of the answer; `none` where there was none.',
    labelNames: ['target', 'status'],
    registers: [parts.metrics],
  });
  const underWay = new Map<string, number>();

  app.addContentTypeParser(CONTENT_TYPES, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.decorateRequest('admitted', null);
  app.post<Route>(
    '/rpc/:target/:service/:method',
    {
      bodyLimit: MAX_BODY_BYTES,
      // Before the body is read: nobody unknown may have it kept in memory.
      async onRequest(request, reply) {
        const { target, service, method } = request.params;
        const called = staffMethods.get(`${target}/${service}/${method}`);
        if (!called) return refuseCall(reply, 404, 'unimplemented', 'Staff have no such call.');
        const refuse = called.isStream ? refuseStream : refuseCall;
        const id = cookies.sessionOf(request);
        const session = id && sessions.find(id);
        if (!session || request.headers[PERSON] !== encodeURIComponent(session.person.subject))
          return refuse(reply, 401, 'unauthenticated', NOT_LOGGED_IN);
        if (!takePlace(called, session.person.subject, reply))
          return refuse(reply, 429, 'resource_exhausted', TOO_MANY);
        request.admitted = { called, id, session, isUse: request.headers[ACTIVE] !== undefined };
      },
    },
    async (request, reply) => {
      if (!request.admitted) throw new Error('invariant violated: a call without a session was admitted');
      const { called, id, session, isUse } = request.admitted;
      const refuse = called.isStream ? refuseStream : refuseCall;
      let token: string | undefined;
      try {
        token = await sessions.tokenOf(id, isUse);
      } catch (err) {
        log.warn({ err }, 'identity provider unavailable');
        return refuse(
          reply,
          503,
          'unavailable',
          'The identity provider does not answer. Try again in a minute.',
        );
      }
      if (token === undefined) return refuse(reply, 401, 'unauthenticated', NOT_LOGGED_IN);
      // The caller left meanwhile.
      if (reply.raw.destroyed) return reply;
      // A stream must not outlast the right to see it.
      const withinMs = called.isStream ? Math.min(STREAM_MS, sessions.remainingMs(id)) : called.maxMs;
      const ends = called.isStream ? [session.ended, parts.stopping] : [];
      const signal = AbortSignal.any([...ends, AbortSignal.timeout(withinMs)]);
      return pass(called, { token, signal, session }, request, reply);
    },
  );

  /** Counts a call until its response is closed; false when the person or everybody together has too many. */
  function takePlace({ target, isStream }: StaffMethod, subject: string, reply: FastifyReply): boolean {
    const kind = `${target} ${isStream ? 'streams' : 'calls'}`;
    const bounds = [
      { key: kind, most: isStream ? MAX_STREAMS : MAX_CALLS },
      { key: `${kind} ${subject}`, most: isStream ? MAX_STREAMS_PER_PERSON : MAX_CALLS_PER_PERSON },
    ];
    if (reply.raw.destroyed || bounds.some(({ key, most }) => (underWay.get(key) ?? 0) >= most)) return false;
    for (const { key } of bounds) underWay.set(key, (underWay.get(key) ?? 0) + 1);
    reply.raw.once('close', () => {
      for (const { key } of bounds) {
        const left = (underWay.get(key) ?? 1) - 1;
        if (left > 0) underWay.set(key, left);
        else underWay.delete(key);
      }
    });
    return true;
  }

  async function pass(
    { target, path, isStream }: StaffMethod,
    { token, signal, session }: Means,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const refuse = isStream ? refuseStream : refuseCall;
    const requestId = randomUUID();
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    try {
      const answer = await (isStream ? streams : calls)[target].request({
        path,
        method: 'POST',
        headers: { ...kept(request.headers), authorization: `Bearer ${token}`, 'x-request-id': requestId },
        body: request.body as Buffer,
        signal: AbortSignal.any([gone.signal, signal]),
      });
      counted.inc({ target, status: String(answer.statusCode) });
      // As they are by now: the token may have been renewed while the service was at work.
      reply.header(ROLES, session.person.roles.join());
      if (answer.statusCode === 401) {
        // Logging in again would not help: the issuer, its audience or a clock is not as the service has it.
        await answer.body.dump();
        log.warn({ resource: target, request_id: requestId }, 'login not believed by service');
        return refuse(
          reply,
          403,
          'permission_denied',
          `The ${target} service does not believe your login: tell whoever runs it.`,
        );
      }
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

const poolsTo = (
  targets: ForwardParts['targets'],
  connections: number,
  connect: buildConnector.connector,
): Readonly<Record<StaffService, Pool>> => {
  const to = (target: StaffService) => new Pool(targets[target], { connections, connect });
  return {
    account: to('account'),
    submission: to('submission'),
    document: to('document'),
    billing: to('billing'),
    webhook: to('webhook'),
  };
};

const kept = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    REQUEST_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

type Refuse = (reply: FastifyReply, status: number, code: string, message: string) => FastifyReply;

/** As services refuse, so that one client understands both. */
const refuseCall: Refuse = (reply, status, code, message) => reply.code(status).send({ code, message });

/** The same of a stream: at its end, after a 200, or its client would read no more than the status. */
const refuseStream: Refuse = (reply, _status, code, message) => {
  const end = Buffer.from(JSON.stringify({ error: { code, message } }));
  const head = Buffer.alloc(5);
  head.writeUInt8(END_OF_STREAM);
  head.writeUInt32BE(end.length, 1);
  const type = reply.request.headers['content-type'] ?? STREAM;
  return reply.header('content-type', type).send(Buffer.concat([head, end]));
};
