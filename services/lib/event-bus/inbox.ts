import type { SqlExecutor } from '../postgres/index.ts';
import type { ApplyOnce } from './event-handler.ts';

/** Runs `work` in one transaction of the service's database. */
export type Transactor<Tx extends SqlExecutor> = <Result>(
  work: (tx: Tx) => Promise<Result>,
) => Promise<Result>;

/** The ApplyOnce of one event: the inbox row and the effect commit together or not at all. */
export function applyOnceFor<Tx extends SqlExecutor>(
  transaction: Transactor<Tx>,
  consumer: string,
  eventId: string,
): ApplyOnce<Tx> {
  return (effect) =>
    transaction(async (tx) => {
      const claimed = await tx.$executeRawUnsafe(
        'INSERT INTO inbox (consumer, event_id) VALUES ($1, $2::uuid) ON CONFLICT DO NOTHING',
        consumer,
        eventId,
      );
      if (claimed === 0) return false;
      await effect(tx);
      return true;
    });
}
