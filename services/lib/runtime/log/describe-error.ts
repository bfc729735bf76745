import { types } from 'node:util';

export interface ErrorDescription {
  type: string;
  message?: string;
  code?: string;
  table?: string;
  constraint?: string;
  stack?: string[];
  cause?: ErrorDescription;
}

/** Errors whose messages we write, or which name tables and never quote rows. */
const QUOTABLE = new Set([
  'MigrationError',
  'NotReady',
  'ConfigError',
  'ConnectError',
  'ImpossibleState',
  'RefusedEvent',
  'AssertionError',
]);
const MAX_FRAMES = 12;
const MAX_CAUSES = 4;

/** Describes an error. Drivers and parsers quote data, so only known messages are included. */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error) && !types.isNativeError(error)) return { type: typeof error };
  const fields = error as Error & {
    code?: unknown;
    table?: unknown;
    constraint?: unknown;
    syscall?: unknown;
  };
  const quotable = QUOTABLE.has(error.name) || typeof fields.syscall === 'string';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    ...(quotable ? { message: error.message } : {}),
    ...textField('code', fields.code),
    ...textField('table', fields.table),
    ...textField('constraint', fields.constraint),
    stack: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
    ...(error.cause !== undefined && depth < MAX_CAUSES
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  };
}

function textField(name: string, value: unknown): Record<string, string> {
  return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {};
}
