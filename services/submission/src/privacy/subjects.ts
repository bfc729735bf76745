import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import { lockSubjects, type SubjectRow } from './legal-holds.sql.ts';

/** Returns the ids of a request without repeats. Throws VALIDATION_ERROR naming one that is not a UUID. */
export function requestedSubmissions(texts: readonly string[]): SubmissionId[] {
  return [...new Set(texts.map((text, index) => requestedId<SubmissionId>(`submission_ids.${index}`, text)))];
}

/** Locks the submissions. Throws NOT_FOUND naming the first that does not exist. */
export async function lockAll(tx: pg.PoolClient, ids: readonly SubmissionId[]): Promise<SubjectRow[]> {
  const rows = await lockSubjects(tx, ids);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw refuse(RefusalCode.NOT_FOUND, `There is no submission ${unknown}. Nothing was changed.`);
  return rows;
}

/**
 * Locks the submissions, none of which may be held or part of an erasure. Throws NOT_FOUND, or WRONG_STATE naming the
 * first that cannot be erased.
 */
export async function lockErasable(tx: pg.PoolClient, ids: readonly SubmissionId[]): Promise<SubjectRow[]> {
  const subjects = await lockAll(tx, ids);
  for (const subject of subjects) refuseUnlessErasable(subject);
  return subjects;
}

function refuseUnlessErasable({ id, held, erasure_id }: SubjectRow): void {
  if (held) {
    const message = `Submission ${id} is under legal hold. Nothing was erased. Release the hold first, or leave the submission out.`;
    throw refuse(RefusalCode.WRONG_STATE, message);
  }
  if (erasure_id !== null) {
    const message = `Submission ${id} is already being erased by erasure ${erasure_id}. Leave it out.`;
    throw refuse(RefusalCode.WRONG_STATE, message);
  }
}
