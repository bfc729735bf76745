import type { AttemptError } from './attempt-error.ts';
import { nextAttemptAt, type Random } from './schedule.ts';

/** What becomes of an event after one of its attempts has ended. */
export type Verdict =
  | { readonly state: 'delivered' | 'exhausted' }
  | { readonly state: 'pending'; readonly nextAttemptAt: Date };

/** How an attempt ended: `error` is undefined exactly when a 2xx status line arrived in time. */
export interface AttemptEnd {
  /** From 1. */
  readonly number: number;
  readonly endedAt: Date;
  readonly error: AttemptError | undefined;
}

/** Success delivers the event, a failure schedules the next attempt, the last failure ends it. */
export function verdictOn(end: AttemptEnd, random: Random): Verdict {
  if (end.error === undefined) return { state: 'delivered' };
  const next = nextAttemptAt(end.number, end.endedAt, random);
  return next ? { state: 'pending', nextAttemptAt: next } : { state: 'exhausted' };
}

/** The error of an answer by its status line alone: undefined for 2xx. Redirects are failures like any other. */
export function errorOfStatus(statusCode: number): AttemptError | undefined {
  return statusCode >= 200 && statusCode <= 299 ? undefined : 'status';
}
