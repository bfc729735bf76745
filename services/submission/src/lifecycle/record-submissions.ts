import { isDependencyUnavailable } from '@supplier/lib/dependency';
import { groupCommit } from '@supplier/lib/group-commit';
import { inTransaction } from '@supplier/lib/postgres';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { insertSubmissions, type NewSubmission } from '../db/insert-submissions.ts';
import type { UndecidedLead } from '../domain/decide-all.ts';
import { NOTHING_UNSAVED, type OpenLead } from '../domain/lead.ts';
import type { SubmissionState } from '../domain/submission.ts';
import { decideInTurn, decideLeads } from './decide-leads.ts';

/** A submission that is to be recorded, with what its decision needs. */
export interface Recording {
  readonly submission: NewSubmission;
  readonly open: Pick<OpenLead, 'enquiry' | 'terms'>;
}

/** Records a submission; resolves to its state, or to undefined when the account has used the reference before. */
export type RecordSubmission = (recording: Recording) => Promise<SubmissionState | undefined>;

const MAX_GROUP = 64;
const MAX_QUEUE = 2_000;
/** Two groups at once: while one waits for its commit, the next is being sent. */
const LANES = 2;

/**
 * Makes the recording of submissions: creates that arrive while an earlier group commits share the next commit, without
 * a timer. An application-level one is inserted, and decided by the worker; a basic one is decided in the same commit. A
 * create that finds 2,000 waiting is refused as unavailable. Implements docs/contract.md, section 2.
 */
export function recordSubmissions(context: Context): RecordSubmission {
  const lanes = (flush: (group: Recording[]) => Promise<(SubmissionState | undefined)[]>) =>
    groupCommit({
      maxGroup: MAX_GROUP,
      maxQueue: MAX_QUEUE,
      lanes: LANES,
      flush,
      runAloneAfter: (error) => !isDependencyUnavailable(error),
      overloaded: () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.'),
    });
  const insert = lanes((group) => insertGroup(context, group));
  const insertAndDecide = lanes((group) => decideGroup(context, group));
  return async (recording) => {
    const { state } = recording.submission;
    if (state.level !== Level.BASIC || state.awaitsStaff) return insert(recording);
    const recorded = await insertAndDecide(recording);
    return recorded?.status === Status.RECEIVED ? decidedInTurn(context, recorded) : recorded;
  };
}

async function insertGroup(
  context: Context,
  group: readonly Recording[],
): Promise<(SubmissionState | undefined)[]> {
  const { pool, keyRing, wakes } = context;
  const inserted = await insertSubmissions(
    pool,
    keyRing,
    group.map(({ submission }) => submission),
  );
  wakes.undecided();
  countInserted(context, group, inserted);
  return group.map(({ submission }, index) => (inserted[index] ? submission.state : undefined));
}

async function decideGroup(
  context: Context,
  group: readonly Recording[],
): Promise<(SubmissionState | undefined)[]> {
  const { pool, keyRing, wakes, counts, clock } = context;
  const { inserted, decided } = await inTransaction(pool, async (tx) => {
    const inserted = await insertSubmissions(
      tx,
      keyRing,
      group.map(({ submission }) => submission),
    );
    const fresh = group.filter((_, index) => inserted[index]);
    return { inserted, ...(await decideLeads(context, tx, fresh.map(undecidedLead))) };
  });
  wakes.events();
  wakes.unminted();
  countInserted(context, group, inserted);
  counts.countDecided(decided, clock.now());
  const byId = new Map(decided.map(({ state }) => [state.id, state]));
  return group.map(({ submission }, index) =>
    inserted[index] ? (byId.get(submission.state.id) ?? submission.state) : undefined,
  );
}

function countInserted({ counts }: Context, group: readonly Recording[], inserted: readonly boolean[]): void {
  for (const [index, { submission }] of group.entries())
    if (inserted[index]) counts.countReceived(submission.state);
}

function undecidedLead({ submission, open }: Recording): UndecidedLead {
  const { state, context, hashes } = submission;
  const { id, accountId, environment, receivedAt } = state;
  return {
    state,
    preUnderwriting: null,
    context,
    unsaved: NOTHING_UNSAVED,
    ...open,
    matchable: { id, accountId, environment, receivedAt, ...hashes },
  };
}

/** An earlier submission of the same customer is still undecided: both are decided now, that one first. */
async function decidedInTurn(context: Context, recorded: SubmissionState): Promise<SubmissionState> {
  await decideInTurn(context, recorded.id);
  context.wakes.unminted();
  return (await context.submissions.byId(recorded.id, undefined)) ?? recorded;
}
