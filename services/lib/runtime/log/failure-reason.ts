import { describeError } from './describe-error.ts';

const MAX_LENGTH = 300;
/**
 * `at name (file:///somewhere/services/x/y.ts:12:3)`, matched without the folders of this machine, and without the
 * number that the runner of tests adds to a file that it imports again. */
const FRAME = /^at (?:(?:async )?([\w.#<>[\] ]+) \()?(?:[^()]*\/)?([\w.-]+)(?:\?\d+)?(:\d+)(?::\d+)?\)?$/;

/**
 * Says in one line why work failed: kind, code and place of the error, like its line in the log. It is kept in tables
 * that staff read, so it holds no message that may quote data. At most 300 characters.
 */
export function failureReason(error: unknown): string {
  const { type, message, code, table, constraint, stack = [] } = describeError(error);
  const frame = FRAME.exec(
    stack.find((line) => !line.includes('node_modules') && !line.includes('node:')) ?? '',
  );
  const place = frame ? [frame[1], `${frame[2]}${frame[3]}`].filter(Boolean).join(' ') : undefined;
  const parts = [type, code, table, constraint, message].filter((part) => part !== undefined);
  return `${parts.join(' ')}${place ? ` at ${place}` : ''}`.slice(0, MAX_LENGTH);
}
