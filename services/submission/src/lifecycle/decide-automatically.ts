import type { SubmissionId } from '@supplier/lib/ids';
import { Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { openSubmission } from '../db/submission-row.ts';
import { decideInTurn } from './decide-in-turn.ts';

/** The most earlier submissions of the same customer that are decided on the way to one; more wait for the next try. */
const MAX_EARLIER = 32;

/**
 * Decides a submission by policy. An earlier one of the same customer that is about to be decided is decided first, so
 * that the earliest received wins. Does nothing when the decision is made or is the staff's to make.
 */
export async function decideAutomatically(context: Context, id: SubmissionId): Promise<void> {
  const waiting = [id];
  for (let step = 0; step <= MAX_EARLIER; step += 1) {
    const next = waiting.at(-1);
    if (next === undefined) return;
    const earlier = await context.db.$transaction((tx) => decideUnlessLater(context, tx, next));
    if (earlier === undefined) waiting.pop();
    else waiting.push(earlier);
  }
  throw new Error('too many earlier submissions of the same customer are undecided');
}

/** Decides now, unless an earlier submission comes first: then resolves to its id and has changed nothing. */
async function decideUnlessLater(
  context: Context,
  tx: Transaction,
  id: SubmissionId,
): Promise<SubmissionId | undefined> {
  const row = await lockSubmission(tx, id);
  if (!row || row.status !== Status.RECEIVED || row.awaitsStaff) return undefined;
  const turn = await decideInTurn(context, tx, openSubmission(row, context.keyRing), row);
  return 'earlier' in turn ? turn.earlier : undefined;
}
