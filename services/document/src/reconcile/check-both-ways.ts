import type { ObjectStore } from '../object-store/object-store.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { scheduleRemovals } from '../store/object-removal.ts';
import type { Exception, Orphan } from './exception.ts';
import { findContradictions } from './find-contradictions.ts';
import { findOrphans } from './find-orphans.ts';

/** The areas of the store, in the order in which they are compared. */
export const AREAS = ['incoming', 'held', 'clean'] as const;
const REMOVAL_BATCH = 100;

export interface Summary {
  readonly objects: number;
  readonly documents: number;
  readonly exceptions: number;
  readonly removalsScheduled: number;
}

export interface Check {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly now: Date;
  readonly removeOrphans: boolean;
  /** Whether no process of the service runs. */
  readonly stopped: boolean;
  /** Called with every exception as it is found. */
  readonly found: (exception: Exception) => void;
  /** Called every few hundred objects or documents. */
  readonly progress: (soFar: Summary) => void;
}

/**
 * Compares store and database both ways, in bounded memory: objects without a reference, and documents whose bytes are
 * missing or wrong. With `removeOrphans` it schedules the removal of the objects. Throws StoreUnavailable.
 */
export async function checkStore(check: Check): Promise<Summary> {
  const { db, store, now, removeOrphans, stopped, found } = check;
  const summary = { objects: 0, documents: 0, exceptions: 0, removalsScheduled: 0 };
  const count = (what: 'objects' | 'documents') => (more: number) => {
    summary[what] += more;
    check.progress(summary);
  };
  const report = (exception: Exception) => {
    summary.exceptions += 1;
    found(exception);
  };
  let orphans: Orphan[] = [];
  const scheduleOrphans = async () => {
    const removals = orphans.map(({ area, key }) => ({ area, objectKey: key, dueAt: now }));
    orphans = [];
    await inTransaction(db, (tx) => scheduleRemovals(tx, removals));
    summary.removalsScheduled += removals.length;
  };

  for (const area of AREAS) {
    for await (const orphan of findOrphans({ db, store, now, stopped, seen: count('objects') }, area)) {
      report(orphan);
      if (removeOrphans && orphans.push(orphan) === REMOVAL_BATCH) await scheduleOrphans();
    }
  }
  if (orphans.length > 0) await scheduleOrphans();
  for await (const exception of findContradictions({ db, store, seen: count('documents') }))
    report(exception);
  return summary;
}
