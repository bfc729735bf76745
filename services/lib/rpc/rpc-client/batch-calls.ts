import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import {
  contentTypeStreamProto,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  endStreamFromJson,
} from '@connectrpc/connect/protocol-connect';
import {
  type Answer,
  type CallSchema,
  CallsService,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';
import { within } from '../../runtime/deadlines/index.ts';
import { groupCommit } from '../../runtime/group-commit/index.ts';
import { EnvelopeReader, inEnvelope } from '../envelopes/index.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  MAX_BYTES,
  MAX_WAITING,
  NoAnswerError,
  PendingRequest,
  type Post,
} from './http-exchange.ts';

const { callTogether } = CallsService.method;
const PATH = `/${CallsService.typeName}/${callTogether.name}`;
/** Exchanges that may wait for their first answer; later calls join the next exchange. */
const LANES = 3;
const MAX_CALLS = 64;
/** A server reads at most 1 MiB, headers included. */
const MAX_GROUP_BYTES = 512 * 1024;
/** After this long without an answer, an exchange no longer holds up other calls. */
const SLOW_MS = 20;
/** How long to send single calls after an older server turned out not to support exchanges. */
const ALONE_MS = 10_000;
const REFUSALS = new Set([
  Code.Unauthenticated,
  Code.PermissionDenied,
  Code.InvalidArgument,
  Code.ResourceExhausted,
  Code.Unimplemented,
]);
/** Headers that are the same for every call of this process, so they are sent once. */
const OF_THE_EXCHANGE = new Set(['authorization', 'content-type', 'connect-protocol-version']);

export interface BatchOptions {
  /** Minimum time between groups, in milliseconds; see `groupCommit`. */
  readonly beatMs?: number;
}

/**
 * Sends unary calls in one exchange when they are made in the same event-loop tick, between two beats, or while three
 * exchanges await their first answer; a single call is sent directly. Each call keeps its headers, deadline,
 * cancellation and answer, and gets its answer as soon as it is ready. A cancelled or late call is abandoned; the
 * exchange is aborted when all of its calls are. If the server refuses a whole exchange, its calls are sent one by one.
 */
export function batchCalls(post: Post, { beatMs = 0 }: BatchOptions): Post {
  let aloneUntil = Number.NEGATIVE_INFINITY;

  async function flush(group: PendingCall[]): Promise<undefined[]> {
    const calls = group.filter(({ isOver }) => !isOver);
    await Promise.all(bundles(calls).map((bundle) => within(SLOW_MS, exchange(bundle), () => undefined)));
    return group.map(() => undefined);
  }

  /** Resolves when the first answer arrives or none will; never rejects. */
  async function exchange(calls: readonly PendingCall[]): Promise<void> {
    if (calls.length <= 1 || performance.now() < aloneUntil) return oneByOne(calls);
    const first = Promise.withResolvers<void>();
    void inOneExchange(post, calls, first.resolve)
      .then(async ({ status, isRefused }) => {
        if (status === 404) aloneUntil = performance.now() + ALONE_MS;
        if (isRefused) await oneByOne(calls);
        for (const call of calls)
          call.fail(new NoAnswerError('connection', new Error('no response was received for it')));
      })
      .catch((error: unknown) => {
        for (const call of calls) call.fail(error);
      })
      .finally(first.resolve);
    return first.promise;
  }

  async function oneByOne(calls: readonly PendingCall[]): Promise<void> {
    await Promise.all(
      calls.map((call) =>
        post(call.remaining()).then(
          (answer) => call.succeed(answer),
          (error) => call.fail(error),
        ),
      ),
    );
  }

  const join = groupCommit<PendingCall, undefined>({
    maxGroup: MAX_CALLS,
    maxQueue: MAX_WAITING,
    lanes: LANES,
    beatMs,
    flush,
    overloaded: () => new NoAnswerError('too many'),
  });
  return (request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(new NoAnswerError('cancelled', request.signal.reason));
      const call = new PendingCall(request, resolve, reject);
      join(call).catch((error: unknown) => call.fail(error));
    });
}

/** Delivers answers as they arrive. `isRefused`: the server made none of the calls. */
async function inOneExchange(
  post: Post,
  calls: readonly PendingCall[],
  answered: () => void,
): Promise<{ readonly status: number; readonly isRefused: boolean }> {
  const [first] = calls;
  const common = Object.entries(first?.request.headers ?? {}).filter(([name]) => OF_THE_EXCHANGE.has(name));
  const nobodyWaits = new AbortController();
  const unanswered = new Set(calls.keys());
  let waiting = calls.length;
  for (const call of calls) {
    call.onOver = () => {
      waiting -= 1;
      // Once all answers are in, the exchange ends normally and its connection serves the next one.
      if (waiting === 0 && unanswered.size > 0) nobodyWaits.abort();
    };
  }
  const timeoutMs = Math.max(...calls.map(({ leftMs }) => leftMs));
  const answers = new EnvelopeReader(MAX_BYTES * calls.length);
  const message = create(CallTogetherRequestSchema, { calls: calls.map(({ request }) => toCall(request)) });
  let isRefused = false;
  const { status } = await post({
    path: PATH,
    headers: {
      ...Object.fromEntries(common),
      'content-type': contentTypeStreamProto,
      'connect-timeout-ms': String(Math.ceil(timeoutMs)),
    },
    body: inEnvelope(toBinary(CallTogetherRequestSchema, message)),
    timeoutMs,
    maxAnswerBytes: MAX_BYTES * calls.length,
    signal: nobodyWaits.signal,
    onData(bytes) {
      for (const { isEnd, message } of answers.read(bytes)) {
        if (isEnd) {
          isRefused = saysRefused(message);
          return;
        }
        for (const answer of fromBinary(CallTogetherResponseSchema, message).answers) {
          unanswered.delete(answer.call);
          calls[answer.call]?.succeed(toHttpAnswer(answer));
        }
        answered();
      }
    },
  });
  return { status, isRefused: isRefused || status !== 200 };
}

/** Returns whether the server made none of the calls. Each then fails on its own, saying more. */
function saysRefused(end: Uint8Array): boolean {
  const { error } = endStreamFromJson(end);
  return error !== undefined && REFUSALS.has(error.code);
}

function toCall({ path, headers, body }: HttpRequest): MessageInitShape<typeof CallSchema> {
  const own = Object.entries(headers).filter(([name]) => !OF_THE_EXCHANGE.has(name));
  return { rpc: path.slice(1), headers: Object.fromEntries(own), message: body };
}

function toHttpAnswer({ status, headers, setCookies, body }: Answer): HttpAnswer {
  const contentType = status === 200 ? contentTypeUnaryProto : contentTypeUnaryJson;
  return { status, headers: { ...headers, 'set-cookie': setCookies, 'content-type': contentType }, body };
}

/** Splits the calls, in order, into bundles that a server accepts. */
function bundles(calls: readonly PendingCall[]): PendingCall[][] {
  const all: PendingCall[][] = [];
  let bytes = 0;
  for (const call of calls) {
    const { byteLength } = call.request.body;
    const last = all.at(-1);
    if (last && bytes + byteLength <= MAX_GROUP_BYTES) {
      last.push(call);
      bytes += byteLength;
    } else {
      all.push([call]);
      bytes = byteLength;
    }
  }
  return all;
}

class PendingCall extends PendingRequest {
  readonly #endsAt = performance.now() + this.request.timeoutMs;
  onOver: (() => void) | undefined;

  get leftMs(): number {
    return Math.max(1, this.#endsAt - performance.now());
  }

  /** Returns the request with its remaining time as timeout. */
  remaining(): HttpRequest {
    return { ...this.request, timeoutMs: this.leftMs };
  }

  protected override onEnd(): void {
    this.onOver?.();
  }
}
