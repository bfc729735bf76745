import type { EndpointId, EventId } from '@supplier/lib/ids';
import type { AttemptError } from './attempt-error.ts';
import type { Random } from './schedule.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** An attempt that was claimed: whose it is, and with which key it is signed. */
export interface BegunAttempt {
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
  /** From 1. */
  readonly number: number;
  /** By the database's clock. */
  readonly startedAt: Date;
  readonly keyFingerprint: string;
}

/** How an attempt ended, with what is kept of it, and what that means for its event. */
export interface Outcome extends BegunAttempt {
  /** By the database's clock: its start, and how long it took. */
  readonly endedAt: Date;
  readonly error: AttemptError | undefined;
  readonly statusCode: number | undefined;
  /** Milliseconds of each phase that took place. */
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  readonly statusMs: number | undefined;
  readonly resolvedIp: string | undefined;
  readonly tlsVersion: string | undefined;
  readonly sealedAnswerHead: Uint8Array | undefined;
  readonly verdict: Verdict;
}

/** The time by the database's clock when an attempt ends that has taken `elapsedMs` so far. */
export function endOf({ startedAt }: BegunAttempt, elapsedMs: number): Date {
  return new Date(startedAt.getTime() + Math.round(elapsedMs));
}

/**
 * The outcome of an attempt that nobody saw the end of: it is spent, and the next follows by the schedule, counted from
 * `since` when that is known to be nearer to what really happened than `endedAt`.
 */
export function interrupted(
  { eventId, endpointId, number, startedAt, keyFingerprint }: BegunAttempt,
  endedAt: Date,
  random: Random,
  since = endedAt,
): Outcome {
  return {
    eventId,
    endpointId,
    number,
    startedAt,
    keyFingerprint,
    endedAt,
    error: 'interrupted',
    statusCode: undefined,
    dnsMs: undefined,
    connectMs: undefined,
    tlsMs: undefined,
    statusMs: undefined,
    resolvedIp: undefined,
    tlsVersion: undefined,
    sealedAnswerHead: undefined,
    verdict: verdictOn({ number, endedAt: since, error: 'interrupted' }, random),
  };
}
