import { randomUUID } from 'node:crypto';
import type { DescMessage, DescMethod, Message, MessageShape } from '@bufbuild/protobuf';
import { CommandFailure, type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Caller } from './caller.ts';

const RETRY_DELAY_MS = 1_000;
/** Failures after which the service may still have performed the action. */
const AMBIGUOUS_FAILURES: ReadonlySet<ExitCode> = new Set([
  exitCodes.failed,
  exitCodes.unavailable,
  exitCodes.interrupted,
]);

type Keyed = Message & { idempotencyKey: string };

const isKeyed = (request: Message, { input }: DescMethod): request is Keyed =>
  input.fields.some(({ name }) => name === 'idempotency_key');

/**
 * Makes a call. If the method takes an idempotency key, the call uses the given key or a new one. It is retried once
 * with that key after a second if the service was unavailable. If it still fails without being refused, the error says
 * how to repeat it.
 */
export async function callOnce<O extends DescMessage>(
  method: DescMethod & { readonly output: O },
  request: Message,
  caller: Pick<Caller, 'unary'>,
  { sleep }: { readonly sleep: (ms: number) => Promise<void> },
): Promise<MessageShape<O>> {
  if (!isKeyed(request, method)) return caller.unary(method, request);
  request.idempotencyKey ||= randomUUID();
  try {
    return await caller.unary(method, request).catch(async (failure: unknown) => {
      if (!isFailure(failure, exitCodes.unavailable)) throw failure;
      await sleep(RETRY_DELAY_MS);
      return caller.unary(method, request);
    });
  } catch (failure) {
    if (!(failure instanceof CommandFailure) || !AMBIGUOUS_FAILURES.has(failure.exitCode)) throw failure;
    throw new CommandFailure(failure.exitCode, failure.message, [
      `it may have taken effect: to repeat it safely, add --idempotency-key ${request.idempotencyKey}`,
      ...failure.details,
    ]);
  }
}

const isFailure = (error: unknown, code: ExitCode): boolean =>
  error instanceof CommandFailure && error.exitCode === code;
