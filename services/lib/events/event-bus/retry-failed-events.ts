import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import { retryDelayMs } from '../../data/queues/index.ts';
import { failureReason } from '../../runtime/log/index.ts';
import { runInContext } from '../../runtime/request-context/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { wakeable } from '../../runtime/wakeable/index.ts';
import { runAfterCommit } from './apply-set.ts';
import { availability } from './availability.ts';
import { type AfterCommit, type ConsumerOptions, RefusedEvent } from './consumer-options.ts';
import {
  type ClaimedEvent,
  claimDueEvent,
  EVENT_RETRY_DELAYS,
  noteFailedAttempt,
  removeEvent,
} from './failed-events.ts';
import { unstoredFailures } from './failure-streak.ts';
import type { measureConsumer } from './measure-consumer.ts';
import type { eventReader, ReceivedEvent } from './received-event.ts';
import { type TracedSet, traceSet } from './trace-set.ts';

/** The delay until a due event is found. */
const POLL_MS = 1_000;

interface RetryParts<Schemas extends readonly DescMessage[]> {
  readonly read: ReturnType<typeof eventReader<Schemas>>;
  readonly measure: ReturnType<typeof measureConsumer>;
  succeeded(): void;
}

interface Tried<Schemas extends readonly DescMessage[]> {
  claimed?: ClaimedEvent | undefined;
  received?: ReceivedEvent<Schemas>;
  end?: TracedSet<Schemas>['end'];
}

class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/**
 * Retries failed events when due, one per transaction, those of an aggregate in order. Their codes are not checked again:
 * only this service writes to its table, an event was authenticated before it was kept, and one that wasn't has a type
 * that is never claimed.
 */
export function retryFailedEvents<Schemas extends readonly DescMessage[]>(
  process: ServiceProcess,
  options: ConsumerOptions<Schemas>,
  parts: RetryParts<Schemas>,
): { readonly ended: Promise<void> } {
  const { pool, consumer } = options;
  const { log, stopping } = process;
  const dependency = availability(process, pool, { consumer, entry: 'retries' });
  const sleeper = wakeable(stopping);
  const unstored = unstoredFailures(process);
  // A message that no version can read has the type '' and is parked; staff can still have it retried.
  const types = [...options.events.map(({ typeName }) => typeName), ''];
  return { ended: run() };

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      const tried: Tried<Schemas> = {};
      const attempt = await dependency.transaction((tx) => tryNext(tx, tried));
      tried.end?.(attempt);
      if (attempt.kind === 'failed') await noteFailure(tried, attempt.error);
      if (attempt.kind === 'done') unstored.over();
      if (attempt.kind === 'done' && tried.claimed) {
        parts.measure.ended('handled');
        parts.succeeded();
        runAfterCommit(log, attempt.value);
      }
      await unstored.pause();
      if (!tried.claimed) await sleeper.sleep(POLL_MS);
    }
  }

  /** Throws if the event in `tried` could not be applied, or if the claim failed. */
  async function tryNext(tx: pg.PoolClient, tried: Tried<Schemas>): Promise<AfterCommit | undefined> {
    tried.claimed = undefined;
    const claimed = await claimDueEvent(tx, consumer, types);
    tried.claimed = claimed;
    if (!claimed) return undefined;
    const read = parts.read(claimed, () => claimed.id);
    const {
      events: [received = read],
      end,
    } = traceSet(options, [{ received: read }]);
    tried.received = received;
    tried.end = end;
    if (received.kind !== 'known') throw new UnreadableEvent('stored message cannot be read as an event');
    return runInContext(received.event.context, async () => {
      const afterCommit = await options.apply(tx, [received.event]);
      await removeEvent(tx, consumer, claimed.id);
      return afterCommit ?? undefined;
    });
  }

  async function noteFailure({ claimed, received }: Tried<Schemas>, error: unknown): Promise<void> {
    if (!claimed || !received)
      return unstored.failed(() => log.error({ err: error, consumer }, 'failed event claim failed'));
    const attempts = claimed.attempts + 1;
    // Reading the message again would fail in the same way.
    const isFinal = received.kind !== 'known' || error instanceof RefusedEvent;
    const nextInMs = isFinal ? undefined : retryDelayMs(EVENT_RETRY_DELAYS, attempts);
    const noted = await dependency.whenAvailable(() =>
      noteFailedAttempt(pool, consumer, claimed, failureReason(error), isFinal),
    );
    if (noted.kind === 'stopping') return;
    if (noted.kind === 'failed')
      return unstored.failed(() => log.error({ err: noted.error, consumer }, 'failed attempt not stored'));
    unstored.over();
    parts.measure.ended(nextInMs === undefined ? 'parked' : 'failed');
    const fields = {
      err: error,
      consumer,
      event_id: claimed.id,
      event_type: received.type,
      attempt: attempts,
    };
    const write = () =>
      nextInMs === undefined
        ? log.error(fields, 'event dead-lettered')
        : log.warn({ ...fields, delay_ms: nextInMs }, 'event failed');
    if (received.kind === 'known') runInContext(received.event.context, write);
    else write();
  }
}
