import { parseId, type SubmissionId } from '@supplier/lib/ids';
import { invalid, RefusalCode, refuse } from '@supplier/lib/refusal';
import type pg from 'pg';
import { lockSubjects, type SubjectRow } from '../db/legal-holds.ts';

/** The ids of a request, each once. Throws VALIDATION_ERROR that names the one that is no UUID. */
export function requestedSubmissions(texts: readonly string[]): SubmissionId[] {
  const ids = texts.map((text, index) => {
    const id = parseId<SubmissionId>(text);
    if (!id) throw invalid(`submission_ids.${index}`, 'must be a UUID');
    return id;
  });
  return [...new Set(ids)];
}

/** The submissions, locked. Throws NOT_FOUND that names the first that does not exist. */
export async function lockAll(tx: pg.PoolClient, ids: readonly SubmissionId[]): Promise<SubjectRow[]> {
  const rows = await lockSubjects(tx, ids);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw refuse(RefusalCode.NOT_FOUND, `There is no submission ${unknown}: nothing was changed.`);
  return rows;
}
