import { failureReason, type Logger } from '../log/index.ts';

/** Explains to operators why a process cannot do its work. The message quotes no data. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  /** The code of the underlying error. */
  readonly code: unknown;
  constructor(message: string, { cause, code }: { readonly cause?: unknown; readonly code?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/** The answer of /readyz, and what is missing, which may be something even while ready. */
export interface Readiness {
  readonly ready: boolean;
  readonly lacks?: string;
}

/** Describes what is missing, for the page and the log: our own message, or the kind and code of any other error. */
export const lackIn = (error: unknown): string =>
  error instanceof NotReady ? error.message : failureReason(error);

/** Returns the text of /readyz. */
export function readinessPage({ ready, lacks }: Readiness): string {
  if (!ready) return lacks === undefined ? 'not ready\n' : `not ready: ${lacks}\n`;
  return lacks === undefined ? 'ok\n' : `ok, but ${lacks}\n`;
}

/** Returns a function that logs a readiness when what is missing changes. */
export function readinessLog(log: Logger): (readiness: Readiness) => void {
  let noted = '';
  return ({ ready, lacks = '' }) => {
    if (lacks === noted) return;
    noted = lacks;
    if (lacks === '') log.info('ready');
    else log.warn({ reason: lacks }, ready ? 'dependency unavailable' : 'not ready');
  };
}
