import {
  CALL_SECONDS,
  Counter,
  Gauge,
  gaugesOf,
  Histogram,
  type Registry,
  WAIT_SECONDS,
} from '@supplier/lib/runtime/metrics';
import { ATTEMPT_ERRORS, type ClaimedAttempt, type Outcome } from '../model/attempt.ts';
import { MAX_COUNTED, MAX_FAILING, type QueueReading } from './queue.sql.ts';

/** Events that the engine reports about its attempts. */
export interface Measures {
  began(claimed: ClaimedAttempt): void;
  /** The attempt ended at the receiver after that many seconds. */
  answered(outcome: Outcome, seconds: number): void;
  /** The outcome is recorded; `claimed` is undefined for an attempt that another process began. */
  recorded(outcome: Outcome, claimed?: ClaimedAttempt): void;
  /** The attempt is no longer in progress, whether or not it was recorded. */
  finished(): void;
}

export const UNMEASURED: Measures = {
  began: () => {},
  answered: () => {},
  recorded: () => {},
  finished: () => {},
};

export function measureAttempts(registry: Registry): Measures {
  const registers = [registry];
  const inFlight = new Gauge({
    name: 'sss_webhook_attempts_in_flight',
    help: 'Attempts in progress in this process, until their outcome is recorded.',
    registers,
  });
  const attempts = new Counter({
    name: 'sss_webhook_attempts_total',
    help: 'Attempts recorded by this process, by outcome: delivered, or the error class.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ['delivered', ...ATTEMPT_ERRORS]) attempts.inc({ outcome }, 0);
  const exhausted = new Counter({
    name: 'sss_webhook_exhausted_events_total',
    help: 'Events whose last attempt failed, recorded by this process.',
    registers,
  });
  const durations = new Histogram({
    name: 'sss_webhook_attempt_duration_seconds',
    help: 'Duration of an attempt, delivered or failed.',
    labelNames: ['result'] as const,
    buckets: CALL_SECONDS,
    registers,
  });
  const sinceChange = new Histogram({
    name: 'sss_webhook_change_to_first_attempt_seconds',
    help: 'Time from the change of a submission, or from a later enabling of its endpoint, to the start of the first attempt.',
    buckets: WAIT_SECONDS,
    registers,
  });
  const toDelivery = new Histogram({
    name: 'sss_webhook_change_to_delivery_seconds',
    help: 'Time from the change of a submission, or from a later enabling of its endpoint, to the end of the attempt that delivered it.',
    buckets: WAIT_SECONDS,
    registers,
  });
  const sinceRecording = new Histogram({
    name: 'sss_webhook_recording_to_first_attempt_seconds',
    help: 'Time from the recording of an event, or from a later enabling of its endpoint, to the start of its first attempt.',
    buckets: WAIT_SECONDS,
    registers,
  });

  return {
    began(claimed: ClaimedAttempt) {
      inFlight.inc();
      if (claimed.number !== 1) return;
      sinceChange.observe(secondsBetween(waitingSince(claimed, claimed.occurredAt), claimed.startedAt));
      sinceRecording.observe(secondsBetween(waitingSince(claimed, claimed.recordedAt), claimed.startedAt));
    },
    answered({ error }: Outcome, seconds: number) {
      durations.observe({ result: error === undefined ? 'delivered' : 'failed' }, seconds);
    },
    recorded({ error, verdict, endedAt }: Outcome, claimed?: ClaimedAttempt) {
      attempts.inc({ outcome: error ?? 'delivered' });
      if (verdict.state === 'exhausted') exhausted.inc();
      if (verdict.state === 'delivered' && claimed)
        toDelivery.observe(secondsBetween(waitingSince(claimed, claimed.occurredAt), endedAt));
    },
    finished: () => inFlight.dec(),
  };
}

/** While an endpoint is disabled, its events wait because of the supplier, so that time is excluded. */
function waitingSince({ activeSince }: ClaimedAttempt, since: Date): Date {
  return activeSince && activeSince > since ? activeSince : since;
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1_000;
}

/**
 * Adds gauges for the queue depth, which is the same for all processes that share the queue. `read` is called at most
 * every five seconds, with a limit of 1.5 s; while it does not respond, these metrics are missing.
 */
export function measureQueue(registry: Registry, read: () => Promise<QueueReading>): void {
  const queue = gaugesOf(registry, read);
  queue(
    {
      name: 'sss_webhook_oldest_due_age_seconds',
      help: 'How long the oldest due event of an enabled endpoint has been due; 0 if none is.',
    },
    ({ oldestDueSeconds }) => oldestDueSeconds,
  );
  queue(
    {
      name: 'sss_webhook_pending_events',
      help: `Undelivered events: waiting for an attempt, or leased for one; each counted up to ${MAX_COUNTED}.`,
      labelNames: ['state'],
    },
    ({ waiting, leased }) => [
      [{ state: 'waiting' }, waiting],
      [{ state: 'leased' }, leased],
    ],
  );
  queue(
    {
      name: 'sss_webhook_endpoint_failed_attempts',
      help: `Consecutive failed attempts of the ${MAX_FAILING} endpoints that have been failing longest.`,
      labelNames: ['endpoint_id'],
    },
    ({ failing }) =>
      failing.map(({ endpointId, failedAttempts }) => [{ endpoint_id: endpointId }, failedAttempts]),
  );
}
