import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import type { Bus } from './bus.ts';
import type { DomainEventOf } from './domain-event.ts';

/**
 * Thrown by `apply` for an event that no retry can apply: it is parked at once, so that it holds up no other of its
 * aggregate. Its message is kept for staff and logged: it quotes no data.
 */
export class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
}

/** Runs after a commit. If it throws, that is only logged. */
export type AfterCommit = () => void;

export interface ConsumerOptions<Schemas extends readonly DescMessage[]> {
  readonly bus: Bus;
  readonly stream: string;
  /** The durable's name, and the name under which applied and failed events are noted. */
  readonly consumer: string;
  /** What the server is to deliver: one subject with wildcards. */
  readonly subject: string;
  readonly pool: pg.Pool;
  /** The event types this consumer knows. One that is delivered and not known here is kept for a newer version. */
  readonly events: Schemas;
  /**
   * Applies up to 64 events, in order, in `tx`; a no-op for an event that it has applied, through a unique key. May return what is to be done after the commit (wake-ups, counters).
   * Throwing rolls all of it back; a RefusedEvent says that a retry would not help.
   */
  apply(
    tx: pg.PoolClient,
    events: readonly DomainEventOf<Schemas>[],
  ): Promise<void> | Promise<AfterCommit | undefined>;
}
