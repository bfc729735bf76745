import type { SubmissionId } from '@supplier/lib/ids';
import type { Context } from '../context.ts';
import { insertSubmissionIn } from '../db/insert-submission-in.ts';
import type { NewSubmission } from '../db/insert-submissions.ts';
import type { OpenSubmission, SubmissionState } from '../domain/submission.ts';
import { decideAutomatically } from './decide-automatically.ts';
import { decideInTurn } from './decide-in-turn.ts';

/** The most earlier submissions of the same customer that one create waits for; a busier one is asked to try again. */
const MAX_EARLIER = 4;

/**
 * Records a submission and decides it in one commit. Earlier undecided ones of the same customer are decided before, in
 * transactions of their own. Resolves to the decided state, or to undefined when the reference is taken. Implements
 * docs/contract.md, section 2.
 */
export async function recordDecided(
  context: Context,
  submission: NewSubmission,
  { enquiry, terms }: Pick<OpenSubmission, 'enquiry' | 'terms'>,
): Promise<SubmissionState | undefined> {
  const { state, companyHash, telephoneHash, emailHash } = submission;
  const keys = { ...state, companyHash, telephoneHash, emailHash };
  for (let step = 0; step <= MAX_EARLIER; step += 1) {
    try {
      return await context.db.$transaction(async (tx) => {
        if (!(await insertSubmissionIn(tx, submission))) return undefined;
        const turn = await decideInTurn(context, tx, { ...state, enquiry, terms }, keys);
        if ('earlier' in turn) throw new EarlierFirst(turn.earlier);
        return turn.decided;
      });
    } catch (error) {
      if (!(error instanceof EarlierFirst)) throw error;
      await decideAutomatically(context, error.id);
    }
  }
  throw new Error('too many earlier submissions of the same customer are undecided');
}

/** Takes the insert back: the submission is recorded when it can be decided. */
class EarlierFirst extends Error {
  readonly id: SubmissionId;

  constructor(id: SubmissionId) {
    super('an earlier submission of the same customer is decided first');
    this.id = id;
  }
}
