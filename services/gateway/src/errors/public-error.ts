import { ERROR_TABLE, type PublicCode } from './error-table.ts';

/** A violation of a request. `path` is dotted; `message` never repeats the value. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

export type ErrorDetails = readonly Violation[] | Readonly<Record<string, string | number>>;

interface PublicErrorParts {
  /** Public message in plain English that repeats no submitted value. Defaults to the table's message. */
  readonly message?: string | undefined;
  readonly details?: ErrorDetails | undefined;
  /** Response headers in addition to the code's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Private: only logged. */
  readonly cause?: unknown;
}

const MAX_MESSAGE = 200;

/** An error response: a code of the public contract, a public message and a private cause. */
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
