import type { ReasonsOf } from '@supplier/lib/governance/audit';
import { hasFormOfUuid } from '@supplier/lib/text/ids';
import { STAFF_POLICY } from '../model/policy/decision-policy.ts';
import type { Database } from './database.ts';
import { COMPLETIONS, DECISIONS } from './find-actor.sql.ts';

const DECIDED: readonly string[] = DECISIONS;
const COMPLETED: readonly string[] = COMPLETIONS;

/** Returns the reasons given by staff for decisions and for closing submissions, which are stored with the applicant. */
export function actionReasons(db: Database): ReasonsOf {
  return async (entries) => {
    const acts = entries.filter(
      ({ action, target }) => [...DECIDED, ...COMPLETED].includes(action) && hasFormOfUuid(target),
    );
    if (acts.length === 0) return new Map();
    const rows = await db.submission.findMany({
      where: { id: { in: acts.map(({ target }) => target.toLowerCase()) } },
      select: {
        id: true,
        decisionPolicy: true,
        decisionReason: true,
        application: { select: { closeReason: true } },
      },
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return new Map(
      acts.map(({ sequence, action, target }) => {
        const row = byId.get(target.toLowerCase());
        const decided = row?.decisionPolicy === STAFF_POLICY ? row.decisionReason : undefined;
        return [sequence, (DECIDED.includes(action) ? decided : row?.application?.closeReason) ?? ''];
      }),
    );
  };
}
