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

/** A submission to record, with what its decision needs. */
export interface Recording {
  readonly submission: NewSubmission;
  readonly open: Pick<OpenLead, 'enquiry' | 'terms'>;
}

/** Records a submission; resolves to its state, or to undefined when the account has used the reference before. */
export type RecordSubmission = (recording: Recording) => Promise<SubmissionState | undefined>;

/** How many are recorded at once, and how long they wait for each lock that another transaction has, in milliseconds. */
interface Stage {
  readonly maxGroup: number;
  readonly maxQueue: number;
  readonly lanes: number;
  readonly lockWaitMs: number;
}

/**
 * Two groups at once: while one waits for its commit, the next is being sent. Their wait is as long as one try of a
 * migration, 500 ms, and ends before PostgreSQL checks for deadlocks, after 1 s.
 */
const TOGETHER: Stage = { maxGroup: 64, maxQueue: 2_000, lanes: 2, lockWaitMs: 500 };
/** The members of a group that failed. They hardly wait for the same lock again, since others queue behind them. */
const ALONE: Stage = { maxGroup: 1, maxQueue: 2_000, lanes: 2, lockWaitMs: 50 };
/** Those whose own locks another transaction holds, one after the other. */
const BEHIND_ANOTHER: Stage = { maxGroup: 1, maxQueue: 2_000, lanes: 2, lockWaitMs: 300 };
/** The gateway waits for 4.5 s. */
const GIVE_UP_AFTER_MS = 3_500;
/** lock_not_available and deadlock_detected: another transaction is recording or deciding the same. */
const ANOTHER_IS_AT_IT = new Set(['55P03', '40P01']);

/** A recording in progress; `giveUpAt` by the process's monotonic clock. */
interface Arrival extends Recording {
  readonly giveUpAt: number;
}

type Flush = (group: Arrival[]) => Promise<(SubmissionState | undefined)[]>;

/**
 * Records submissions in groups: creates that arrive while an earlier group commits share the next commit, without a
 * timer. An application-level one is inserted, and decided by the worker; a basic one is decided in the same commit.
 * The members of a group that fails are recorded one by one: a bad one fails alone, and one whose customer or reference
 * another transaction has locked waits apart from the others; 3.5 s after its arrival, or if 2,000 wait already, it is
 * refused as unavailable. Implements docs/contract.md, section 2.
 */
export function recordSubmissions(context: Context): RecordSubmission {
  const insert = stage(TOGETHER, (group) => insertGroup(context, TOGETHER, group));
  const insertAndDecide = stage(TOGETHER, (group) => decideGroup(context, TOGETHER, group));
  const oneByOne = (bounds: Stage) =>
    stage(bounds, async (one) => {
      if (one.some(({ giveUpAt }) => performance.now() >= giveUpAt)) throw unavailable();
      return (one.every(isDecidedAtOnce) ? decideGroup : insertGroup)(context, bounds, one);
    });
  const alone = oneByOne(ALONE);
  const behindAnother = oneByOne(BEHIND_ANOTHER);

  async function record(recording: Recording): Promise<SubmissionState | undefined> {
    const arrival: Arrival = { ...recording, giveUpAt: performance.now() + GIVE_UP_AFTER_MS };
    const together = isDecidedAtOnce(recording) ? insertAndDecide : insert;
    for (let attempt = together; ; attempt = attempt === together ? alone : behindAnother) {
      try {
        return await attempt(arrival);
      } catch (error) {
        const othersMayBeToBlame = attempt === together && !isDependencyUnavailable(error);
        if (!othersMayBeToBlame && !isAnotherAtIt(error)) throw error;
        if (performance.now() >= arrival.giveUpAt) throw givenUp(context, error);
      }
    }
  }

  return async (recording) => {
    const recorded = await record(recording);
    if (!isDecidedAtOnce(recording)) return recorded;
    return recorded?.status === Status.RECEIVED ? decidedInTurn(context, recorded) : recorded;
  };
}

function stage({ maxGroup, maxQueue, lanes }: Stage, flush: Flush) {
  return groupCommit({ maxGroup, maxQueue, lanes, flush, overloaded: unavailable });
}

function givenUp({ log }: Context, err: unknown): unknown {
  if (!isAnotherAtIt(err)) return err;
  log.warn({ err }, 'create given up behind another transaction');
  return unavailable();
}

const unavailable = () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');

function isDecidedAtOnce({ submission: { state } }: Recording): boolean {
  return state.level === Level.BASIC && !state.awaitsStaff;
}

function isAnotherAtIt(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && ANOTHER_IS_AT_IT.has(code);
}

async function insertGroup(
  context: Context,
  bounds: Stage,
  group: readonly Recording[],
): Promise<(SubmissionState | undefined)[]> {
  const { pool, wakes } = context;
  const recorded = await insertAll(context, pool, bounds, group);
  wakes.undecided();
  countRecorded(context, recorded);
  return recorded.map((recording) => recording?.submission.state);
}

async function decideGroup(
  context: Context,
  bounds: Stage,
  group: readonly Recording[],
): Promise<(SubmissionState | undefined)[]> {
  const { pool, wakes, counts, clock } = context;
  const { recorded, decided } = await inTransaction(pool, async (tx) => {
    const recorded = await insertAll(context, tx, bounds, group);
    const fresh = recorded.filter((recording) => recording !== undefined);
    return { recorded, ...(await decideLeads(context, tx, fresh.map(undecidedLead), { keysAreHeld: true })) };
  });
  wakes.relay();
  wakes.unminted();
  countRecorded(context, recorded);
  counts.countDecided(decided, clock.now());
  const byId = new Map(decided.map(({ state }) => [state.id, state]));
  return recorded.map((recording) => {
    const state = recording?.submission.state;
    return state && (byId.get(state.id) ?? state);
  });
}

/** The recorded submissions with their times of receipt; undefined in the place of those not recorded. */
async function insertAll(
  { keyRing, receiptClock }: Context,
  sql: pg.Pool | pg.PoolClient,
  { lockWaitMs }: Stage,
  group: readonly Recording[],
): Promise<(Recording | undefined)[]> {
  const submissions = group.map(({ submission }) => submission);
  const times = await insertSubmissions(sql, { keyRing, receiptClock, lockWaitMs }, submissions);
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

/**
 * An earlier submission of the same customer is still undecided: both are decided now, that one first, unless there are
 * too many. If that fails, as with one that cannot be opened, the workers retry it: this one is recorded anyway.
 */
async function decidedInTurn(context: Context, recorded: SubmissionState): Promise<SubmissionState> {
  const { log, wakes, submissions } = context;
  try {
    await decideInTurn(context, recorded.id);
    wakes.unminted();
  } catch (err) {
    if (isDependencyUnavailable(err)) throw err;
    log.warn({ err, submission_id: recorded.id }, 'decision of a create left to the workers');
    wakes.undecided();
  }
  return (await submissions.byId(recorded.id, undefined)) ?? recorded;
}
