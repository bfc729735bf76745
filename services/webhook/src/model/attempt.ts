import { type RetryDelays, retryDelayMs } from '@supplier/lib/data/queues';
import type { EndpointId, EventId } from '@supplier/lib/text/ids';

/** Reasons for a failed attempt, as spelled in the staff interface and the database. */
export const ATTEMPT_ERRORS = [
  /** A non-2xx status line arrived. */
  'status',
  /** The attempt's time limit passed before the status line. */
  'timeout',
  /** The host name did not resolve. */
  'dns',
  /** No TCP connection could be opened. */
  'connect',
  /** No TLS session could be set up, or the certificate was not accepted. */
  'tls',
  /** The host has an address that the policy forbids. */
  'address_refused',
  /** The connection broke before a complete status line, or the response was not HTTP. */
  'reset',
  /** The attempt's end is unknown: its worker stopped or died. */
  'interrupted',
] as const;

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** A claimed attempt: its event, and the key that signs it. */
export interface StartedAttempt {
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
  /** Starts at 1. */
  readonly number: number;
  /** By the database's clock. */
  readonly startedAt: Date;
  readonly keyFingerprint: string;
}

/** An attempt that the caller must make: its number is used even if the attempt is never made. */
export interface ClaimedAttempt extends StartedAttempt {
  /** When the change of the event happened, and when it was recorded. */
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  /** When its endpoint was last enabled. */
  readonly activeSince: Date | null;
  readonly url: string;
  readonly sealedSecret: Uint8Array;
  readonly sealedBody: Uint8Array;
  /** Trace of the change; empty if it was not traced. */
  readonly traceParent: string;
  /** Whether the person was erased: no response is kept. */
  readonly isErased: boolean;
}

/** Attempts to one endpoint that are reserved for events claimed when they are recorded. */
export interface Places {
  /** How many; 0 when the endpoint must wait its turn. */
  readonly count: number;
  /** How long this process owns a claimed attempt, in milliseconds. */
  readonly leaseMs: number;
  /**
   * Makes the attempts, whose claims are committed, at most `count`, and releases the other places; they are all
   * released if this is not called.
   */
  begin(claimed: readonly ClaimedAttempt[]): void;
}

export const NO_PLACES: Places = { count: 0, leaseMs: 0, begin() {} };

/** How an attempt ended, the details to keep, and the effect on its event. */
export interface Outcome extends StartedAttempt {
  /** By the database's clock: its start plus its duration. */
  readonly endedAt: Date;
  readonly error: AttemptError | undefined;
  readonly statusCode: number | undefined;
  /** Duration in milliseconds of each phase that took place. */
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  readonly statusMs: number | undefined;
  readonly resolvedIp: string | undefined;
  readonly tlsVersion: string | undefined;
  readonly sealedAnswerHead: Uint8Array | undefined;
  readonly verdict: Verdict;
}

/** Returns the time, by the database's clock, at which an attempt that took `elapsedMs` ends. */
export function endOf({ startedAt }: StartedAttempt, elapsedMs: number): Date {
  return new Date(startedAt.getTime() + Math.round(elapsedMs));
}

/**
 * Returns the outcome of an attempt whose end is unknown: it counts, and the next follows on schedule, counted from
 * `since` if that is known to be closer to the real end than `endedAt`.
 */
export function interrupted(
  { eventId, endpointId, number, startedAt, keyFingerprint }: StartedAttempt,
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

/** The state of an event after one of its attempts has ended. */
export type Verdict =
  | { readonly state: 'delivered' | 'exhausted' }
  | { readonly state: 'pending'; readonly nextAttemptAt: Date };

/** How an attempt ended: `error` is undefined exactly when a 2xx status line arrived in time. */
type AttemptEnd = Pick<Outcome, 'number' | 'endedAt' | 'error'>;

/**
 * Returns the verdict: success delivers the event, a failure schedules the next attempt, the last failure exhausts it.
 */
export function verdictOn(end: AttemptEnd, random: Random): Verdict {
  if (end.error === undefined) return { state: 'delivered' };
  const next = nextAttemptAt(end.number, end.endedAt, random);
  return next ? { state: 'pending', nextAttemptAt: next } : { state: 'exhausted' };
}

/**
 * Returns the error of a response from its status line only: undefined for 2xx. Redirects are failures like any other.
 */
export function errorOfStatus(statusCode: number): AttemptError | undefined {
  return statusCode >= 200 && statusCode <= 299 ? undefined : 'status';
}

/** Delays from the end of an attempt to the next. After the last, a delivery is exhausted. */
export const RETRY_DELAYS: RetryDelays = {
  seconds: [15, 45, 120, 420, 1_200, 3_600, 3_600],
  repeatsLast: false,
};

export const MAXIMUM_ATTEMPTS = RETRY_DELAYS.seconds.length + 1;

/**
 * Every delay is lengthened or shortened by up to this fraction, so that retries to a receiver do not all arrive
 * together.
 */
export const JITTER = 0.2;

/** A number from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * Returns when the next attempt is due after attempt `number` (from 1) failed at `endedAt`; undefined after the last.
 * Implements docs/contract.md, section 7.
 */
export function nextAttemptAt(number: number, endedAt: Date, random: Random): Date | undefined {
  const delayMs = retryDelayMs(RETRY_DELAYS, number);
  if (delayMs === undefined) return undefined;
  const factor = 1 - JITTER + 2 * JITTER * random();
  return new Date(endedAt.getTime() + Math.round(delayMs * factor));
}
