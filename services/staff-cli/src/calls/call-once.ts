import { randomUUID } from 'node:crypto';
import type { DescMessage, DescMethod, Message, MessageShape } from '@bufbuild/protobuf';
import { CommandFailure, type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Surroundings } from '../session.ts';
import type { Caller } from './caller.ts';

const BEFORE_RETRY_MS = 1_000;
/** Failures after which the service may have acted all the same. */
const UNCLEAR: ReadonlySet<ExitCode> = new Set([
  exitCodes.failed,
  exitCodes.unavailable,
  exitCodes.interrupted,
]);

type Keyed = Message & { idempotencyKey: string };

const isKeyed = (request: Message, { input }: DescMethod): request is Keyed =>
  input.fields.some(({ name }) => name === 'idempotency_key');

/**
 * Makes a call. One that can name an idempotency key names the one stated, or a new one, is made again with it after a
 * second where the service was not available, and says how to repeat it where it still failed without a refusal.
 */
export async function callOnce<O extends DescMessage>(
  method: DescMethod & { readonly output: O },
  request: Message,
  caller: Pick<Caller, 'unary'>,
  { sleep }: Pick<Surroundings, 'sleep'>,
): Promise<MessageShape<O>> {
  if (!isKeyed(request, method)) return caller.unary(method, request);
  request.idempotencyKey ||= randomUUID();
  try {
    return await caller.unary(method, request).catch(async (failure: unknown) => {
      if (!isFailure(failure, exitCodes.unavailable)) throw failure;
      await sleep(BEFORE_RETRY_MS);
      return caller.unary(method, request);
    });
  } catch (failure) {
    if (!(failure instanceof CommandFailure) || !UNCLEAR.has(failure.exitCode)) throw failure;
    throw new CommandFailure(failure.exitCode, failure.message, [
      `it may have been done: to repeat it safely, add --idempotency-key ${request.idempotencyKey}`,
      ...failure.details,
    ]);
  }
}

const isFailure = (error: unknown, code: ExitCode): boolean =>
  error instanceof CommandFailure && error.exitCode === code;
