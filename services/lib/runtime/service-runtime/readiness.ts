import { failureReason, type Logger } from '../log/index.ts';

/** Why a process cannot do its work, in words for its operators. The message quotes no data. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  /** Of the error that it explains. */
  readonly code: unknown;
  constructor(message: string, { cause, code }: { readonly cause?: unknown; readonly code?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

/** What /readyz answers: whether the process can do its work, and what it lacks. It may lack something and be ready. */
export interface Readiness {
  readonly ready: boolean;
  readonly lacks?: string;
}

/** In words for the page and the log: a message of ours, or the kind and code of any other error. */
export const lackIn = (error: unknown): string =>
  error instanceof NotReady ? error.message : failureReason(error);

/** The text of /readyz. */
export function readinessPage({ ready, lacks }: Readiness): string {
  if (!ready) return lacks === undefined ? 'not ready\n' : `not ready: ${lacks}\n`;
  return lacks === undefined ? 'ok\n' : `ok, but ${lacks}\n`;
}

/** Logs a readiness when it differs from the one before: once for each thing that is missing, and when nothing is. */
export function readinessLog(log: Logger): (readiness: Readiness) => void {
  let noted = '';
  return ({ ready, lacks = '' }) => {
    if (lacks === noted) return;
    noted = lacks;
    if (lacks === '') log.info('ready');
    else log.warn({ reason: lacks }, ready ? 'dependency unavailable' : 'not ready');
  };
}
