import type { Comparison, Difference } from '@supplier/lib/governance/reconciliation';
import { invalid } from '@supplier/lib/rpc/refusal';
import { parseId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { Context } from '../context.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { scheduleRemovals } from '../store/object-removal.sql.ts';
import { compareOwners } from './compare-owners.ts';
import {
  contradictionsAfter,
  type Exception,
  FAULTS,
  FIRST_DOCUMENT,
  findContradictions,
  findOrphans,
  type Orphan,
} from './find-differences.ts';

/** Maximum reported for one area: beyond it, the number matters more than the individual orphans. */
const MAX_ORPHANS = 5_000;
const REMOVAL_BATCH = 100;

type Needs = Pick<Context, 'db' | 'pool' | 'store' | 'clock'>;
type Part = Awaited<ReturnType<Comparison>>;

/**
 * Compares stored objects with documents in both directions: one area of the store at a time, then 200 documents at a
 * time. Then compares the owners of documents with those of their submissions. It repairs orphans by scheduling their
 * removal; missing or wrong bytes can only be restored from a backup of the store. Compares everything regardless of
 * when it changed.
 */
export function compareStore(context: Needs & Pick<Context, 'findOwners'>): Comparison {
  return async ({ at, repair }) => {
    const [kind, place = ''] = at === '' ? ['area', AREAS[0]] : at.split(' ');
    const area = AREAS.find((one) => one === place);
    if (kind === 'area' && area) return orphansOf(context, area, repair);
    const after = parseId(place);
    if (kind === 'documents' && after) return contradictionsOf(context, after);
    if (kind === 'owners' && after) return compareOwners(context, after);
    throw invalid('resume_token', 'must be the resume_token of an earlier call to this service');
  };
}

async function orphansOf(
  { db, pool, store, clock }: Needs,
  area: (typeof AREAS)[number],
  repair: boolean,
): Promise<Part> {
  let compared = 0;
  const now = clock.now();
  const seen = (count: number) => {
    compared += count;
  };
  const orphans: Orphan[] = [];
  for await (const orphan of findOrphans({ pool, store, now, stopped: false, seen }, area))
    if (orphans.push(orphan) === MAX_ORPHANS) break;
  for (let from = 0; repair && from < orphans.length; from += REMOVAL_BATCH) {
    const some = orphans.slice(from, from + REMOVAL_BATCH);
    const removals = some.map(({ key }) => ({ area, objectKey: key, dueAt: now }));
    await inTransaction(db, (tx) => scheduleRemovals(tx, removals));
  }
  const following = AREAS[AREAS.indexOf(area) + 1];
  return {
    compared,
    differences: orphans.map((orphan) => differenceOf(orphan, `${area}/${orphan.key}`, repair)),
    next: following ? `area ${following}` : `documents ${FIRST_DOCUMENT}`,
  };
}

async function contradictionsOf({ db, store }: Needs, after: string): Promise<Part> {
  let compared = 0;
  const seen = (count: number) => {
    compared += count;
  };
  const { found, next } = await contradictionsAfter({ db, store, seen }, after);
  return {
    compared,
    differences: found.map((exception) => differenceOf(exception, exception.documentId, false)),
    next: next === undefined ? `owners ${FIRST_DOCUMENT}` : `documents ${next}`,
  };
}

const differenceOf = ({ kind }: Exception, target: string, repaired: boolean): Difference => ({
  what: kind,
  target,
  explanation: FAULTS[kind],
  repaired,
});

/** The areas of the store, in comparison order. */
export const AREAS = ['incoming', 'held', 'clean'] as const;

export interface Summary {
  readonly objects: number;
  readonly documents: number;
  readonly exceptions: number;
  readonly removalsScheduled: number;
}

export interface Check {
  readonly db: Database;
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly now: Date;
  readonly removeOrphans: boolean;
  /** Whether no process of the service is running. */
  readonly stopped: boolean;
  readonly found: (exception: Exception) => void;
  /** Called every few hundred objects or documents. */
  readonly progress: (soFar: Summary) => void;
}

/**
 * Compares store and database in both directions, in bounded memory, and finds unreferenced objects and documents whose
 * bytes are missing or wrong. With `removeOrphans`, schedules the removal of the objects. Throws StoreUnavailable.
 */
export async function checkStore(check: Check): Promise<Summary> {
  const { db, pool, store, now, removeOrphans, stopped, found } = check;
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
    for await (const orphan of findOrphans({ pool, store, now, stopped, seen: count('objects') }, area)) {
      report(orphan);
      if (removeOrphans && orphans.push(orphan) === REMOVAL_BATCH) await scheduleOrphans();
    }
  }
  if (orphans.length > 0) await scheduleOrphans();
  for await (const exception of findContradictions({ db, store, seen: count('documents') }))
    report(exception);
  return summary;
}
