import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import type { Logger } from '@supplier/lib/runtime/log';
import { Counter, type Registry } from '@supplier/lib/runtime/metrics';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type buildConnector, Pool } from 'undici';
import type { Cookies } from '../sessions/cookies.ts';
import {
  type Admission,
  NotRenewed,
  type Session,
  type SessionId,
  type Sessions,
} from '../sessions/sessions.ts';
import { type StaffMethod, staffMethods } from './staff-methods.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/**
 * Maximum calls in flight to one service: in total, so that a hanging service blocks only itself, and per person across
 * all their browsers, so that no one crowds out their colleagues.
 */
const MAX_CALLS = 64;
const MAX_CALLS_PER_PERSON = 16;
/** Streams use separate connections, because each holds one for as long as it is open. */
const MAX_STREAMS = 500;
const MAX_STREAMS_PER_PERSON = 50;
/** Longer than the services allow any stream to last. */
const STREAM_MS = 600_000;
/** Request headers that are forwarded. */
const REQUEST_HEADERS = [
  'content-type',
  'content-encoding',
  'connect-protocol-version',
  'connect-content-encoding',
];
/** The person a page believes is logged in. A page left open after another person logs in gets 401. */
const PERSON = 'console-person';
/** The roles in the newest token, separated by commas, so that pages opened earlier learn about changes. */
const ROLES = 'console-roles';
/**
 * Sent with calls caused by user input in the last minute. Calls without it are polling and don't keep a session alive.
 */
const ACTIVE = 'console-active';
const NOT_LOGGED_IN = 'Your session has ended. Log in again.';
const TOO_MANY = 'Too many concurrent calls. Wait for calls in progress, then try again.';
const ANSWER_HEADER =
  /^(?:content-type|content-encoding|content-length|connect-[a-z-]+|trailer-[a-z-]+|x-request-id)$/;
const STREAM = 'application/connect+proto';
const CONTENT_TYPES = ['application/proto', 'application/json', STREAM, 'application/connect+json'];
/** Flag byte of the last message of a stream in Connect's protocol. */
const END_OF_STREAM = 2;

export interface ForwardParts {
  readonly targets: Readonly<Record<StaffService, string>>;
  /** Opens connections to services. */
  readonly connect: buildConnector.connector;
  readonly sessions: Sessions;
  readonly cookies: Cookies;
  readonly metrics: Registry;
  readonly log: Logger;
  /** Aborts when the process begins to stop; shutdown must not wait for streams. */
  readonly stopping: AbortSignal;
}

interface Route {
  Params: { target: string; service: string; method: string };
}

/** A call from a person who is logged in. */
interface AdmittedCall {
  readonly called: StaffMethod;
  readonly id: SessionId;
  readonly session: Session;
  /** Whether user input caused the call. */
  readonly isUse: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: AdmittedCall | null;
  }
}

/** Credentials and lifetime of one call. */
interface Means extends Admission {
  readonly signal: AbortSignal;
  readonly id: SessionId;
}

/**
 * Serves `POST /rpc/TARGET/package.Service/Method`: forwards the call to that service with the token of the logged-in
 * person and streams the response back. The console doesn't check permissions: the services do. A stream is cut when
 * its session ends, its browser disconnects or the process stops.
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
      // Authenticate before the body is read, so that unknown callers can't fill memory.
      async onRequest(request, reply) {
        const { target, service, method } = request.params;
        const called = staffMethods.get(`${target}/${service}/${method}`);
        if (!called) return refuseCall(reply, 404, 'unimplemented', 'Staff have no such call.');
        const refuse = called.isStream ? refuseStream : refuseCall;
        const id = cookies.sessionOf(request);
        const session = id && (await sessions.find(id));
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
      // Before the session is read again, so that an end in between is noticed.
      const ends = called.isStream ? [session.ended, parts.stopping] : [];
      let admission: Admission | undefined;
      try {
        admission = await sessions.tokenOf(id, isUse);
      } catch (err) {
        const isProvider = err instanceof NotRenewed;
        log.warn({ err }, isProvider ? 'identity provider unavailable' : 'sessions unavailable');
        const sentence = isProvider
          ? 'The identity provider does not answer.'
          : 'The console cannot read your session.';
        return refuse(reply, 503, 'unavailable', `${sentence} Try again in a minute.`);
      }
      if (!admission) return refuse(reply, 401, 'unauthenticated', NOT_LOGGED_IN);
      // The caller disconnected in the meantime.
      if (reply.raw.destroyed) return reply;
      // A stream must not outlast the session.
      const withinMs = called.isStream ? Math.min(STREAM_MS, admission.remainingMs) : called.maxMs;
      const signal = AbortSignal.any([...ends, AbortSignal.timeout(withinMs)]);
      return pass(called, { ...admission, signal, id }, request, reply);
    },
  );

  /** Counts a call until its response is closed. Returns false when the person or the service has too many. */
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
    { token, person, signal, id }: Means,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const refuse = isStream ? refuseStream : refuseCall;
    const requestId = randomUUID();
    // People quote it when they report an error.
    reply.header('x-request-id', requestId);
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
      // Read the roles now: the token may have been renewed while the service was working.
      const now = await sessions.find(id).catch(() => undefined);
      reply.header(ROLES, (now?.person ?? person).roles.join());
      if (answer.statusCode === 401) {
        // Logging in again would not help: the service's issuer, audience or clock doesn't match.
        await answer.body.dump();
        log.warn({ resource: target, request_id: requestId }, 'login not believed by service');
        return refuse(
          reply,
          403,
          'permission_denied',
          `The ${target} service does not accept your login. Contact your operator.`,
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

/** Rejects a call in the format the services use, so that one client handles both. */
const refuseCall: Refuse = (reply, status, code, message) => reply.code(status).send({ code, message });

/**
 * Rejects a stream in its last message after a 200. With any other status, the client would read only the status. The
 * message is JSON in either encoding of a stream.
 */
const refuseStream: Refuse = (reply, _status, code, message) => {
  const end = Buffer.from(JSON.stringify({ error: { code, message } }));
  const head = Buffer.alloc(5);
  head.writeUInt8(END_OF_STREAM);
  head.writeUInt32BE(end.length, 1);
  return reply.header('content-type', STREAM).send(Buffer.concat([head, end]));
};
