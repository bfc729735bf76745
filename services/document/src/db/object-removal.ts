import type { Area } from '../object-store/object-store.ts';
import type { Database, Transaction } from './database.ts';

/** An object without references, and from when on it may be removed from the store. */
export interface ObjectRemoval {
  readonly area: Area;
  readonly objectKey: string;
  readonly dueAt: Date;
}

/** Schedules the removal of objects that the transaction removes the last reference to. Leaves scheduled ones alone. */
export async function scheduleRemovals(tx: Transaction, removals: readonly ObjectRemoval[]): Promise<void> {
  await tx.objectRemoval.createMany({ data: [...removals], skipDuplicates: true });
}

/** Schedules the removal of a copy before it is made: a process that crashes in between leaves no orphan. */
export async function scheduleRemoval(db: Database, removal: ObjectRemoval): Promise<void> {
  await db.objectRemoval.create({ data: removal });
}

/**
 * Claims up to `limit` removals that are due at `now`, those due longest first. They cannot be claimed again until
 * `until`, which is also when a failed removal is retried.
 */
export async function claimRemovals(
  db: Database,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<ObjectRemoval[]> {
  const rows = await db.$queryRaw<{ area: Area; object_key: string }[]>`
    UPDATE object_removal SET due_at = ${until}
    WHERE (area, object_key) IN (
      SELECT area, object_key FROM object_removal WHERE due_at <= ${now}
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING area, object_key`;
  return rows.map(({ area, object_key }) => ({ area, objectKey: object_key, dueAt: until }));
}

/** Deletes a removal that was carried out, unless it was scheduled or claimed again. */
export async function completeRemoval(db: Database, removal: ObjectRemoval): Promise<void> {
  const { area, objectKey, dueAt } = removal;
  await db.objectRemoval.deleteMany({ where: { area, objectKey, dueAt } });
}
