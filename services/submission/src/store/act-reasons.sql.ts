import type { ReasonsOf } from '@supplier/lib/governance/audit';
import { hasFormOfUuid } from '@supplier/lib/text/ids';
import type pg from 'pg';
import { COMPLETIONS, DECISIONS } from './find-actor.sql.ts';

const DECIDED: readonly string[] = DECISIONS;
const COMPLETED: readonly string[] = COMPLETIONS;

/** Returns the reasons given by staff for decisions and for closing leads, which are stored with the applicant. */
export function actReasons(pool: Pick<pg.Pool, 'query'>): ReasonsOf {
  return async (entries) => {
    const acts = entries.filter(
      ({ action, target }) => [...DECIDED, ...COMPLETED].includes(action) && hasFormOfUuid(target),
    );
    if (acts.length === 0) return new Map();
    const { rows } = await pool.query<{ id: string; decided: string | null; closed: string | null }>({
      name: 'find-act-reasons',
      text: `SELECT w.id, CASE WHEN w.decision_policy = 'staff' THEN w.decision_reason END AS decided,
                    a.close_reason AS closed
               FROM submission w LEFT JOIN application a ON a.submission_id = w.id WHERE w.id = ANY($1::uuid[])`,
      values: [acts.map(({ target }) => target)],
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return new Map(
      acts.map(({ sequence, action, target }) => {
        const row = byId.get(target.toLowerCase());
        return [sequence, (DECIDED.includes(action) ? row?.decided : row?.closed) ?? ''];
      }),
    );
  };
}
