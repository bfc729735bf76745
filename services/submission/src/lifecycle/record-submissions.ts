import { isDependencyUnavailable } from '@supplier/lib/dependency';
import { groupCommit } from '@supplier/lib/group-commit';
import { inTransaction } from '@supplier/lib/postgres';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
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
  const { pool, wakes } = context;
  const recorded = await record(context, pool, group);
  wakes.undecided();
  countRecorded(context, recorded);
  return recorded.map((recording) => recording?.submission.state);
}

async function decideGroup(
  context: Context,
  group: readonly Recording[],
): Promise<(SubmissionState | undefined)[]> {
  const { pool, wakes, counts, clock } = context;
  const { recorded, decided } = await inTransaction(pool, async (tx) => {
    const recorded = await record(context, tx, group);
    const fresh = recorded.filter((recording) => recording !== undefined);
    return { recorded, ...(await decideLeads(context, tx, fresh.map(undecidedLead), { keysAreHeld: true })) };
  });
  wakes.events();
  wakes.unminted();
  countRecorded(context, recorded);
  counts.countDecided(decided, clock.now());
  const byId = new Map(decided.map(({ state }) => [state.id, state]));
  return recorded.map((recording) => {
    const state = recording?.submission.state;
    return state && (byId.get(state.id) ?? state);
  });
}

/** Those that were recorded, each as it was received; undefined in the place of the others. */
async function record(
  context: Context,
  sql: pg.Pool | pg.PoolClient,
  group: readonly Recording[],
): Promise<(Recording | undefined)[]> {
  const submissions = group.map(({ submission }) => submission);
  const times = await insertSubmissions(sql, context, submissions);
  return group.map(({ submission, open }, index) => {
    const at = times[index];
    return (
      at && {
        submission: { ...submission, state: { ...submission.state, receivedAt: at, changedAt: at } },
        open,
      }
    );
  });
}

function countRecorded({ counts }: Context, recorded: readonly (Recording | undefined)[]): void {
  for (const recording of recorded) if (recording) counts.countReceived(recording.submission.state);
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

/** An earlier submission of the same customer is still undecided: both are decided now, that one first, unless there are too many. */
async function decidedInTurn(context: Context, recorded: SubmissionState): Promise<SubmissionState> {
  await decideInTurn(context, recorded.id);
  context.wakes.unminted();
  return (await context.submissions.byId(recorded.id, undefined)) ?? recorded;
}
