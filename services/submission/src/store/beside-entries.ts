import type { BesideEntries } from '@supplier/lib/governance/audit';
import { hasFormOfUuid } from '@supplier/lib/text/ids';
import { STAFF_POLICY } from '../model/policy/decision-policy.ts';
import type { Database } from './database.ts';
import { COMPLETIONS, DECISIONS } from './find-actor.sql.ts';

const DECIDED: readonly string[] = DECISIONS;
const COMPLETED: readonly string[] = COMPLETIONS;

/**
 * Returns the references of submissions, and the reasons given by staff for decisions and for closing submissions, which
 * are stored with the applicant.
 */
export function besideEntries(db: Database): BesideEntries {
  return async (entries) => {
    const ids = entries.map(({ target }) => target.toLowerCase()).filter(hasFormOfUuid);
    if (ids.length === 0) return new Map();
    const rows = await db.submission.findMany({
      where: { id: { in: [...new Set(ids)] } },
      select: {
        id: true,
        externalReference: true,
        decisionPolicy: true,
        decisionReason: true,
        application: { select: { closeReason: true } },
      },
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return new Map(
      entries.flatMap(({ sequence, action, target }) => {
        const row = byId.get(target.toLowerCase());
        if (!row) return [];
        const decided = row.decisionPolicy === STAFF_POLICY ? row.decisionReason : undefined;
        const closed = COMPLETED.includes(action) ? row.application?.closeReason : undefined;
        const reason = (DECIDED.includes(action) ? decided : closed) ?? '';
        return [[sequence, { reason, targetReference: row.externalReference }] as const];
      }),
    );
  };
}
