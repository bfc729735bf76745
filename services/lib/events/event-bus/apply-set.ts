import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import type { AfterCommit, ConsumerOptions } from './consumer-options.ts';
import { type EventToKeep, keepEvents } from './failed-events.ts';
import type { KnownEvent, ReceivedEvent } from './received-event.ts';

/**
 * What became of an event: applied; known to be applied or kept already; kept behind an earlier one of its aggregate;
 * kept for a version that knows its type; or dead-lettered for staff, since it cannot be read.
 */
export type Outcome = 'handled' | 'duplicate' | 'waiting' | 'unknown_type' | 'parked';

export interface AppliedSet {
  /** One for each event of the set, in its order. */
  readonly outcomes: readonly Outcome[];
  readonly afterCommit?: AfterCommit;
}

const NO_ATTEMPT = { attempts: 0, dueInMs: 0, parked: false };

/** Applies a set of events in a transaction, each at most once. When it throws, the caller must roll back. */
export async function applySet<Schemas extends readonly DescMessage[]>(
  tx: pg.PoolClient,
  options: ConsumerOptions<Schemas>,
  set: readonly ReceivedEvent<Schemas>[],
): Promise<AppliedSet> {
  const known = await noteEvents(tx, options, set);
  const outcomes = set.map((received) => outcomeOf(received, known));
  const kept = set.flatMap((received, place) => toKeep(received, outcomes[place]));
  await keepEvents(tx, options.consumer, kept);
  const fresh = set.flatMap((received, place) =>
    received.kind === 'known' && outcomes[place] === 'handled' ? [received.event] : [],
  );
  const afterCommit = fresh.length > 0 ? await options.apply(tx, fresh) : undefined;
  return { outcomes, ...(afterCommit ? { afterCommit } : {}) };
}

/** What is known of the events of a set before they are applied. */
interface KnownEvents {
  /** Those to apply. Each is removed when first met, so that a repeat within the set counts as a duplicate. */
  readonly fresh: Set<string>;
  /** Those that are in the table of failed events already. */
  readonly kept: ReadonlySet<string>;
  /** Aggregates with an event that waits for its next attempt. */
  readonly blocked: ReadonlySet<string>;
}

/** One statement for both queries of the table of failed events. */
async function noteEvents<Schemas extends readonly DescMessage[]>(
  tx: pg.PoolClient,
  { consumer, events }: ConsumerOptions<Schemas>,
  set: readonly ReceivedEvent<Schemas>[],
): Promise<KnownEvents> {
  const known = set.filter((received): received is KnownEvent<Schemas> => received.kind === 'known');
  const { rows } = await tx.query<{ is: 'fresh' | 'kept' | 'blocked'; id: string }>({
    name: 'failed-events-of-set',
    text: `WITH given AS (
             SELECT DISTINCT event_id, aggregate_id FROM unnest($2::uuid[], $3::uuid[]) AS g (event_id, aggregate_id)),
           kept AS (SELECT event_id FROM failed_event WHERE consumer = $1 AND event_id = ANY ($2)),
           blocked AS (
             SELECT DISTINCT aggregate_id FROM failed_event
              WHERE consumer = $1 AND aggregate_id = ANY ($3) AND type = ANY ($4) AND parked_at IS NULL),
           fresh AS (
             SELECT event_id FROM given
              WHERE event_id NOT IN (SELECT event_id FROM kept)
                AND aggregate_id NOT IN (SELECT aggregate_id FROM blocked))
           SELECT 'fresh' AS is, event_id AS id FROM fresh
           UNION ALL SELECT 'kept', event_id FROM kept
           UNION ALL SELECT 'blocked', aggregate_id FROM blocked`,
    values: [
      consumer,
      known.map(({ id }) => id),
      known.map(({ aggregateId }) => aggregateId),
      events.map(({ typeName }) => typeName),
    ],
  });
  const those = (which: string) => new Set(rows.filter(({ is }) => is === which).map(({ id }) => id));
  return { fresh: those('fresh'), kept: those('kept'), blocked: those('blocked') };
}

function outcomeOf(received: ReceivedEvent<readonly DescMessage[]>, known: KnownEvents): Outcome {
  switch (received.kind) {
    case 'unreadable':
      return 'parked';
    case 'unknown_type':
      return 'unknown_type';
    case 'known':
      if (known.kept.has(received.id)) return 'duplicate';
      if (known.blocked.has(received.aggregateId)) return 'waiting';
      return known.fresh.delete(received.id) ? 'handled' : 'duplicate';
  }
}

function toKeep(
  received: ReceivedEvent<readonly DescMessage[]>,
  outcome: Outcome | undefined,
): EventToKeep[] {
  switch (outcome) {
    case 'waiting':
      return [{ ...NO_ATTEMPT, received, failure: 'waits for an earlier event of its aggregate' }];
    case 'unknown_type':
      return [{ ...NO_ATTEMPT, received, failure: 'type not known to the version that received it' }];
    case 'parked':
      return [{ ...NO_ATTEMPT, received, parked: true, failure: 'cannot be read as an event' }];
    case 'handled':
    case 'duplicate':
    case undefined:
      return [];
  }
}

/** The events are applied whether or not what follows succeeds. */
export function runAfterCommit(log: Logger, afterCommit: AfterCommit | undefined): void {
  try {
    afterCommit?.();
  } catch (err) {
    log.error({ err }, 'after-commit hook failed');
  }
}
