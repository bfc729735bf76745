import type { Comparison, Difference } from '@supplier/lib/governance/reconciliation';
import { invalid } from '@supplier/lib/rpc/refusal';
import { parseId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { inTransaction } from '../store/database.ts';
import { scheduleRemovals } from '../store/object-removal.ts';
import { AREAS } from './check-both-ways.ts';
import { type Exception, FAULTS, type Orphan } from './exception.ts';
import { contradictionsAfter, FIRST_DOCUMENT } from './find-contradictions.ts';
import { findOrphans } from './find-orphans.ts';

/** Of one area: beyond these, which ones matters less than that there are so many. */
const MAX_ORPHANS = 5_000;
const REMOVAL_BATCH = 100;

type Needs = Pick<Context, 'db' | 'store' | 'clock'>;
type Part = Awaited<ReturnType<Comparison>>;

/**
 * The comparison of stored objects with documents, both ways: one area of the store at a time, then 200 documents at a
 * time. It repairs orphans, by having them removed; bytes that are missing or wrong come back from a backup of the store
 * alone. Times of changes mean nothing here: all is compared.
 */
export function compareStore(context: Needs): Comparison {
  return async ({ at, repair }) => {
    const [kind, place = ''] = at === '' ? ['area', AREAS[0]] : at.split(' ');
    const area = AREAS.find((one) => one === place);
    if (kind === 'area' && area) return orphansOf(context, area, repair);
    const after = parseId(place);
    if (kind === 'documents' && after) return contradictionsOf(context, after);
    throw invalid('resume_token', 'must be that of an earlier call to this service');
  };
}

async function orphansOf(
  { db, store, clock }: Needs,
  area: (typeof AREAS)[number],
  repair: boolean,
): Promise<Part> {
  let compared = 0;
  const now = clock.now();
  const seen = (count: number) => {
    compared += count;
  };
  const orphans: Orphan[] = [];
  for await (const orphan of findOrphans({ db, store, now, stopped: false, seen }, area))
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
    next: next === undefined ? '' : `documents ${next}`,
  };
}

const differenceOf = ({ kind }: Exception, target: string, repaired: boolean): Difference => ({
  what: kind,
  target,
  explanation: FAULTS[kind],
  repaired,
});
