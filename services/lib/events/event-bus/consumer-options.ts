import type { DescMessage } from '@bufbuild/protobuf';
import type pg from 'pg';
import type { Bus } from './bus.ts';
import type { EventVerifier } from './event-codes.ts';
import type { DomainEventOf } from './received-event.ts';

/** Thrown by `apply` for an event to park immediately. The message is stored, so it must quote no data. */
export class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
}

/** For events that do no harm if they are forged. What isn't a known event counts as not authentic. */
export const unchecked: EventVerifier = () => true;

/** Runs after a commit. Errors are only logged. */
export type AfterCommit = () => void;

export interface ConsumerOptions<Schemas extends readonly DescMessage[]> {
  readonly bus: Bus;
  readonly stream: string;
  /** The name of the durable, under which applied and failed events are recorded. */
  readonly consumer: string;
  /** The subject that the server delivers; may contain wildcards. */
  readonly subject: string;
  readonly pool: pg.Pool;
  /** Whether a message is the publisher's. It is called before anything of the message is read; `unchecked` accepts all. */
  readonly isAuthentic: EventVerifier;
  /** Between two checks of the configuration while events are consumed; a minute by default. */
  readonly checkEveryMs?: number;
  /** Before pulling is retried, unless the bus reconnects first; half a second by default. */
  readonly retryMs?: number;
  /** The event types this consumer knows. Delivered events of other types are kept for a newer version. */
  readonly events: Schemas;
  /**
   * Applies up to 64 events, in order, in `tx`; must change nothing for one already applied. May return a hook to run
   * after the commit. Throwing rolls back; throw a RefusedEvent if no retry would help.
   */
  apply(
    tx: pg.PoolClient,
    events: readonly DomainEventOf<Schemas>[],
  ): Promise<void> | Promise<AfterCommit | undefined>;
}
