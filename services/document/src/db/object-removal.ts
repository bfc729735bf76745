import type { Area } from '../object-store/object-store.ts';
import type { Database, Transaction } from './database.ts';

/** An object that nothing refers to any longer, and from when on the store may be asked to remove it. */
export interface ObjectRemoval {
  readonly area: Area;
  readonly objectKey: string;
  readonly dueAt: Date;
}

/** Has objects removed once the transaction has let go of them. One that is on its way already stays as it is. */
export async function scheduleRemovals(tx: Transaction, removals: readonly ObjectRemoval[]): Promise<void> {
  await tx.objectRemoval.createMany({ data: [...removals], skipDuplicates: true });
}

/** Schedules the removal of a copy before it is made: who dies in between leaves nothing behind. */
export async function announceCopy(db: Database, removal: ObjectRemoval): Promise<void> {
  await db.objectRemoval.create({ data: removal });
}

/**
 * Takes up to `limit` removals that are due at `now`, those due longest first. Nobody else takes them until `until`,
 * which is also when they come up again should they fail.
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

/** Forgets a removal that was done, unless somebody has scheduled or claimed it anew. */
export async function forgetRemoval(db: Database, removal: ObjectRemoval): Promise<void> {
  const { area, objectKey, dueAt } = removal;
  await db.objectRemoval.deleteMany({ where: { area, objectKey, dueAt } });
}
