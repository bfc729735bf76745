import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect';
import { type AnswerSchema, type Call, CallsService } from '@supplier/proto/calls/v1/calls';
import { arrivedRequestOf } from './interceptors.ts';
import type { UnaryHandler } from './unary-handler.ts';
import type { UnaryAnswer } from './unary-http.ts';

type Answer = MessageInitShape<typeof AnswerSchema>;

/**
 * Serves the unary methods that `unary` has learnt to a caller that makes several calls in one exchange. Each ends as it
 * would by itself; nothing is said of the exchange but that it is admitted.
 */
export function serveCallsTogether(router: ConnectRouter, unary: UnaryHandler): void {
  router.service(CallsService, {
    async *callTogether({ calls }, context) {
      yield* answersAsReady(calls, (call) => answerTo(unary, call, context));
    },
  });
}

/** Those that are ready in one turn of the event loop come together. The work must not reject. */
async function* answersAsReady(
  calls: readonly Call[],
  answer: (call: Call) => Promise<UnaryAnswer>,
): AsyncGenerator<{ answers: Answer[] }> {
  let ready: Answer[] = [];
  let isReady = Promise.withResolvers<void>();
  for (const [place, call] of calls.entries()) {
    void answer(call).then(({ status, headers, body }) => {
      ready.push({ call: place, status, headers: headers ? Object.fromEntries(headers) : {}, body });
      isReady.resolve();
    });
  }
  for (let left = calls.length; left > 0; ) {
    await isReady.promise;
    await endOfTurn();
    const answers = ready;
    ready = [];
    isReady = Promise.withResolvers();
    left -= answers.length;
    yield { answers };
  }
}

function answerTo(
  unary: UnaryHandler,
  { rpc, headers, message }: Call,
  { requestHeader, values, signal }: HandlerContext,
): Promise<UnaryAnswer> {
  return unary.answer(rpc, {
    // The caller has proven who it is once, for all of them.
    headers: { ...headers, authorization: requestHeader.get('authorization') ?? '' },
    request: arrivedRequestOf(values),
    readBody: async () => message,
    onGone: (end) => signal.addEventListener('abort', end, { once: true }),
  });
}
