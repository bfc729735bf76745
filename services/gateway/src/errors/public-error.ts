import { ERROR_TABLE, type PublicCode } from './error-table.ts';

/** One thing that is wrong with a request. `path` is dotted; `message` never repeats the value. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

export type ErrorDetails = readonly Violation[] | Readonly<Record<string, string | number>>;

interface PublicErrorParts {
  /** Public, plain English, repeats no submitted value. The table's sentence when absent. */
  readonly message?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  /** Headers of the answer on top of those the code always has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Private: goes to the log and nowhere else. */
  readonly cause?: unknown;
}

const MAX_MESSAGE = 200;

/** An answer that is not a success: a code of the public contract, a public sentence, a private cause. */
export class PublicError extends Error {
  override readonly name = 'PublicError';
  readonly code: PublicCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: PublicCode, parts: PublicErrorParts = {}) {
    const { message, cause } = parts;
    const usable = message !== undefined && message.length > 0 && message.length <= MAX_MESSAGE;
    super(usable ? message : ERROR_TABLE[code].message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = parts.details;
    this.headers = parts.headers ?? {};
  }
}
