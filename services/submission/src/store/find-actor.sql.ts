// SQL, because it runs in the transaction of an act.
import type { SubmissionId } from '@supplier/lib/text/ids';
import type pg from 'pg';

/** Acts of staff, single and batch, by their names in the audit log. */
export const DECISIONS = ['DecideSubmission', 'DecideSubmissions'] as const;
export const RETURNS = ['ReturnSubmission', 'ReturnSubmissions'] as const;
export const COMPLETIONS = ['CompletePreUnderwriting', 'CompletePreUnderwritings'] as const;

type Action = (typeof DECISIONS | typeof RETURNS | typeof COMPLETIONS)[number];

/**
 * Returns who performed the latest of these acts on a submission, for use in a refusal: the subject of their token, or
 * `the policy` if it was not a member of staff.
 */
export async function findActor(
  tx: Pick<pg.PoolClient, 'query'>,
  id: SubmissionId,
  acts: readonly Action[],
): Promise<string> {
  const { rows } = await tx.query<{ actor: string }>({
    name: 'find-actor',
    text: `SELECT actor FROM audit_entry WHERE target = $1 AND action = ANY($2::text[])
            ORDER BY at DESC, sequence DESC LIMIT 1`,
    values: [id, acts],
  });
  return rows[0]?.actor ?? 'the policy';
}
