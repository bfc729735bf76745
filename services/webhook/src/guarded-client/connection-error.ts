import type { AttemptError } from '../domain/attempt.ts';

/** Why no connection came about, in the words of an attempt, and which address it was about, when there was one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly error: Extract<AttemptError, 'dns' | 'address_refused' | 'connect' | 'tls'>;
  readonly address: string | undefined;

  constructor(error: ConnectionError['error'], address?: string, cause?: unknown) {
    super(`no connection: ${error}`, { cause });
    this.error = error;
    this.address = address;
  }
}
