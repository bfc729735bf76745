import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import type { AfterCommit, ConsumerOptions } from './consumer-options.ts';
import { type EventToKeep, keepEvents, keepUnauthenticated } from './failed-events.ts';
import type { KnownEvent, ReceivedEvent } from './received-event.ts';

/** Applied, a duplicate, kept behind its aggregate, kept for a newer version, unreadable and parked, or not authentic. */
export type Outcome = 'handled' | 'duplicate' | 'waiting' | 'unknown_type' | 'parked' | 'unauthenticated';

export interface AppliedSet {
  readonly outcomes: readonly Outcome[];
  readonly afterCommit?: AfterCommit;
}

const NO_ATTEMPT = { attempts: 0, dueInMs: 0, parked: false };

/** Applies a set of events in a transaction, each at most once. If it throws, the caller must roll back. */
export async function applySet<Schemas extends readonly DescMessage[]>(
  tx: pg.PoolClient,
  options: ConsumerOptions<Schemas>,
  set: readonly ReceivedEvent<Schemas>[],
): Promise<AppliedSet> {
  const known = await noteEvents(tx, options, set);
  const outcomes = set.map((received) => outcomeOf(received, known));
  const kept = set.flatMap((received, place) => toKeep(received, outcomes[place]));
  await keepEvents(tx, options.consumer, kept);
  await keepUnauthenticated(
    tx,
    options.consumer,
    set.filter(({ kind }) => kind === 'unauthenticated'),
  );
  const fresh = set.flatMap((received, place) =>
    received.kind === 'known' && outcomes[place] === 'handled' ? [received.event] : [],
  );
  const afterCommit = fresh.length > 0 ? await options.apply(tx, fresh) : undefined;
  return { outcomes, ...(afterCommit ? { afterCommit } : {}) };
}

/** What the database knows about a set's events before they are applied. */
interface KnownEvents {
  /** Events to apply. Each is removed at first sight, so that a repeat within the set counts as a duplicate. */
  readonly fresh: Set<string>;
  readonly kept: ReadonlySet<string>;
  /** Aggregates with an event awaiting its next attempt. */
  readonly blocked: ReadonlySet<string>;
}

/** Runs both queries of the table of failed events in one statement. */
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
    case 'unauthenticated':
      return 'unauthenticated';
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
      return [{ ...NO_ATTEMPT, received, failure: 'waiting for an earlier event of its aggregate' }];
    case 'unknown_type':
      return [{ ...NO_ATTEMPT, received, failure: 'type unknown to this version' }];
    case 'parked':
      return [{ ...NO_ATTEMPT, received, parked: true, failure: 'cannot be read as an event' }];
    case 'handled':
    case 'duplicate':
    // Kept in another way, which is bounded.
    case 'unauthenticated':
    case undefined:
      return [];
  }
}

/** Errors are only logged: the events are applied whether or not the hook succeeds. */
export function runAfterCommit(log: Logger, afterCommit: AfterCommit | undefined): void {
  try {
    afterCommit?.();
  } catch (err) {
    log.error({ err }, 'after-commit hook failed');
  }
}
