import type { DescMessage } from '@bufbuild/protobuf';
import { retryDelayMs } from '../../data/queues/index.ts';
import { failureReason } from '../../runtime/log/index.ts';
import { runInContext } from '../../runtime/request-context/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { type AppliedSet, applySet, runAfterCommit } from './apply-set.ts';
import { availability } from './availability.ts';
import { type ConsumerOptions, RefusedEvent, unchecked } from './consumer-options.ts';
import { EVENT_RETRY_DELAYS, keepEvents } from './failed-events.ts';
import { failureStreak, unstoredFailures } from './failure-streak.ts';
import { measureConsumer } from './measure-consumer.ts';
import { type Delivery, pullMessages } from './message-source.ts';
import { derivedId, eventReader, type ReceivedEvent, unauthenticated } from './received-event.ts';
import { retryFailedEvents } from './retry-failed-events.ts';
import { traceSet } from './trace-set.ts';

export { type Bus, connectBus } from './bus.ts';
export { type AfterCommit, type ConsumerOptions, RefusedEvent, unchecked } from './consumer-options.ts';
export {
  type EventSigner,
  type EventVerifier,
  eventKeyVariables,
  eventSigner,
  eventVerifier,
} from './event-codes.ts';
export {
  CONFIGURING_USER,
  EVENTS_ACCOUNT,
  NATS_USERS,
  type NatsUser,
  natsAccounts,
  permissionsOf,
} from './permissions.ts';
export type { DomainEvent, DomainEventOf } from './received-event.ts';
export { DEFAULT_STREAM_SETTINGS, STREAMS, streamVariables, subjectOf } from './streams.ts';
export { AUTHENTICATED, LISTENS_TO, SUBSCRIPTIONS, type Subscription } from './subscriptions.ts';

const MAX_SET = 64;
/** Between two log lines about messages that aren't the publisher's. */
const REPORT_EVERY_MS = 30_000;

interface PulledEvent<Schemas extends readonly DescMessage[]> {
  readonly delivery: Delivery;
  readonly received: ReceivedEvent<Schemas>;
}

/**
 * Consumes a stream until the process stops, in sets of up to 64 events, in order; events that arrive while a set
 * commits form the next one. A set is one transaction and is acknowledged after its commit. A failed set is applied
 * event by event. An event that fails there is kept in the table of failed events, retried from the table, and parked
 * for staff after eight attempts, while later events of its aggregate wait behind it. While a dependency is unavailable
 * the current set is held and no attempt is counted. A message that isn't authentic is never applied. Survives the loss
 * of the bus, and a stream that is deleted and refilled.
 */
export function startConsumer<const Schemas extends readonly DescMessage[]>(
  process: ServiceProcess,
  options: ConsumerOptions<Schemas>,
): void {
  const { stream, consumer } = options;
  const { log, stopping } = process;
  const read = eventReader(options.events);
  const measure = measureConsumer(process.metrics, options);
  const streak = failureStreak(process, consumer);
  const unstored = unstoredFailures(process);
  const dependency = availability(process, options.pool, { consumer, entry: 'stream' });
  const source = pullMessages(process, options);
  const retries = retryFailedEvents(process, options, { read, measure, succeeded: streak.succeeded });
  let reportedAt = Number.NEGATIVE_INFINITY;
  const done = run();
  process.onStop(`consumer of ${stream}`, async () => {
    await done;
    await retries.ended;
    await source.close();
  });

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      await streak.pause();
      await unstored.pause();
      const deliveries = await source.take(MAX_SET);
      const set = deliveries.map((delivery) => ({ delivery, received: receive(delivery) }));
      if (set.length > 0) await applyAll(set);
    }
  }

  function receive(delivery: Delivery): ReceivedEvent<Schemas> {
    const ownId = () => derivedId(stream, delivery.sequence, delivery.data);
    if (!options.isAuthentic(delivery)) return unauthenticated(delivery, ownId());
    const received = read(delivery, ownId);
    // Without a code, what isn't a known event may be anyone's, and one of any number.
    const isAnyones = options.isAuthentic === unchecked && received.kind !== 'known';
    return isAnyones ? unauthenticated(delivery, ownId()) : received;
  }

  async function applyAll(set: readonly PulledEvent<Schemas>[]): Promise<void> {
    measure.set(set.length);
    const [only, ...others] = set;
    if (only && others.length === 0) return applyAlone(only);
    const { events, end } = traceSet(options, set);
    const attempt = await dependency.transaction((tx) => applySet(tx, options, events));
    end(attempt);
    switch (attempt.kind) {
      case 'done':
        return settle(set, attempt.value);
      case 'stopping':
        return release(set);
      case 'failed':
        log.warn({ err: attempt.error, consumer, count: set.length }, 'event set failed');
        for (const pulled of set) await applyAlone(pulled);
    }
  }

  /** Runs in the context of the event, so that log lines contain it. */
  function applyAlone(pulled: PulledEvent<Schemas>): Promise<void> {
    if (stopping.aborted) return Promise.resolve(release([pulled]));
    const {
      events: [received = pulled.received],
      end,
    } = traceSet(options, [pulled]);
    const work = async () => {
      const attempt = await dependency.transaction((tx) => applySet(tx, options, [received]));
      end(attempt);
      if (attempt.kind === 'done') return settle([pulled], attempt.value);
      if (attempt.kind === 'stopping') return release([pulled]);
      await keepFailed(pulled, attempt.error);
    };
    return received.kind === 'known' ? runInContext(received.event.context, work) : work();
  }

  /** The first attempt has failed: further attempts are made from the table, and the stream continues. */
  async function keepFailed(pulled: PulledEvent<Schemas>, error: unknown): Promise<void> {
    const { received, delivery } = pulled;
    const parked = error instanceof RefusedEvent;
    const dueInMs = parked ? 0 : (retryDelayMs(EVENT_RETRY_DELAYS, 1) ?? 0);
    const failed = { received, attempts: 1, dueInMs, parked, failure: failureReason(error) };
    const kept = await dependency.whenAvailable(() => keepEvents(options.pool, consumer, [failed]));
    if (kept.kind === 'stopping') return release([pulled]);
    if (kept.kind === 'failed') {
      const { error: err } = kept;
      unstored.failed(() => log.error({ err, consumer }, 'failed event not stored'));
      return release([pulled]);
    }
    unstored.over();
    delivery.acknowledge();
    const fields = { err: error, consumer, event_id: received.id, event_type: received.type, attempt: 1 };
    if (parked) log.error(fields, 'event dead-lettered');
    else log.warn({ ...fields, delay_ms: dueInMs }, 'event failed');
    measure.ended(parked ? 'parked' : 'failed');
    streak.failed();
  }

  function settle(set: readonly PulledEvent<Schemas>[], { outcomes, afterCommit }: AppliedSet): void {
    set.forEach(({ delivery, received }, place) => {
      delivery.acknowledge();
      const outcome = outcomes[place];
      if (!outcome) return;
      measure.ended(outcome);
      const fields = { consumer, event_id: received.id, event_type: received.type };
      if (outcome === 'unknown_type') log.warn(fields, 'event type unknown');
      if (outcome === 'parked') log.error(fields, 'event dead-lettered');
      if (outcome === 'unauthenticated') reportUnauthenticated(fields);
    });
    if (outcomes.includes('handled')) {
      streak.succeeded();
      unstored.over();
    }
    runAfterCommit(log, afterCommit);
  }

  function reportUnauthenticated(fields: { readonly consumer: string; readonly event_id: string }): void {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    log.error({ ...fields, stream }, 'event not authenticated');
  }

  function release(set: readonly PulledEvent<Schemas>[]): void {
    for (const { delivery } of set) delivery.release();
  }
}
