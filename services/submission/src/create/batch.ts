import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { decidedInTurn } from '../decide/index.ts';
import type { SubmissionState } from '../model/submission.ts';
import { type GroupBounds, type Recording, recordGroup } from './transaction.ts';

/** Records a submission. Resolves to its state, or to undefined if the account has already used the reference. */
export type RecordSubmission = (recording: Recording) => Promise<SubmissionState | undefined>;

/** Concurrency limits of one recording stage. */
interface Stage extends GroupBounds {
  readonly maxGroup: number;
  readonly maxQueue: number;
  readonly lanes: number;
  readonly beatMs: number;
}

/**
 * Two groups run concurrently: while one waits for its commit, the next is sent. Their lock wait is as long as one
 * attempt of a migration, 500 ms, and ends before PostgreSQL checks for deadlocks, after 1 s.
 */
const GROUPED: Stage = {
  maxGroup: 64,
  maxQueue: 2_000,
  lanes: 2,
  beatMs: 20,
  lockWaitMs: 500,
  decides: new Set([Level.BASIC, Level.APPLICATION]),
};
/**
 * Only basic creates return their decision. The others wait neither for caps nor for the cause of the group's failure.
 */
const decides = new Set([Level.BASIC]);
/** For the members of a failed group. The lock wait is short because others queue behind them. */
const RETRY_SINGLY: Stage = { maxGroup: 1, maxQueue: 2_000, lanes: 2, beatMs: 0, lockWaitMs: 50, decides };
/** For submissions whose own locks are held by another transaction, one at a time. */
const CONTENDED: Stage = { maxGroup: 1, maxQueue: 2_000, lanes: 2, beatMs: 0, lockWaitMs: 300, decides };
/** The gateway times out after 4.5 s. */
const GIVE_UP_AFTER_MS = 3_500;
/**
 * When creates have waited longer than this, more arrive than can be decided. They are recorded now and decided later.
 */
const DECIDE_WITHIN_MS = 1_000;
/**
 * lock_not_available, deadlock_detected and unique_violation: another transaction is recording or deciding the same.
 */
const CONTENTION_CODES = new Set(['55P03', '40P01', '23505']);

/** A recording in progress; `arrivedAt` is on the process's monotonic clock. */
interface WaitingCreate extends Recording {
  readonly arrivedAt: number;
}

const waitedMs = ({ elapsedMs }: Context, { arrivedAt }: WaitingCreate): number => elapsedMs() - arrivedAt;

/**
 * Records submissions in groups: creates that arrive while an earlier group commits share the next commit. They are
 * decided before they are recorded, so that each row is written once. Creates that await staff, an earlier submission
 * from the same customer or a working policy, or have already waited for a second, are recorded undecided for staff and
 * workers. The members of a failed group are recorded one by one, so that a bad one fails separately. One whose
 * customer or reference is locked by another transaction waits apart from the others; 3.5 s after it arrived, or if
 * 2,000 are already queued, it is refused as unavailable. Implements docs/contract.md, section 2.
 */
export function recordSubmissions(context: Context): RecordSubmission {
  const together = stage(context, GROUPED);
  const alone = stage(context, RETRY_SINGLY);
  const contended = stage(context, CONTENDED);

  async function record(recording: Recording): Promise<SubmissionState | undefined> {
    const waiting: WaitingCreate = { ...recording, arrivedAt: context.elapsedMs() };
    for (let attempt = together; ; attempt = attempt === together ? alone : contended) {
      try {
        return await attempt(waiting);
      } catch (error) {
        const othersMayBeToBlame = attempt === together && !isDependencyUnavailable(error);
        if (!othersMayBeToBlame && !isAnotherAtIt(error)) throw error;
        if (waitedMs(context, waiting) >= GIVE_UP_AFTER_MS) throw givenUp(context, error);
      }
    }
  }

  return async (recording) => {
    const recorded = await record(recording);
    // A create at application level returns the submission as received.
    if (recorded === undefined || recorded.level !== Level.BASIC) return recorded;
    const isUndecided = recorded.status === Status.RECEIVED && !recorded.awaitsStaff;
    return isUndecided ? decidedInTurn(context, recorded) : recorded;
  };
}

function stage(context: Context, bounds: Stage) {
  const { maxGroup, maxQueue, lanes, beatMs } = bounds;
  return groupCommit<WaitingCreate, SubmissionState | undefined>({
    maxGroup,
    maxQueue,
    lanes,
    beatMs,
    overloaded: unavailable,
    flush(group) {
      const longestMs = Math.max(...group.map((waiting) => waitedMs(context, waiting)));
      if (group.every((waiting) => waitedMs(context, waiting) >= GIVE_UP_AFTER_MS)) throw unavailable();
      return recordGroup(context, longestMs < DECIDE_WITHIN_MS ? bounds : { ...bounds, decides }, group);
    },
  });
}

function givenUp({ log }: Context, err: unknown): unknown {
  if (!isAnotherAtIt(err)) return err;
  log.warn({ err }, 'create gave up waiting for another transaction');
  return unavailable();
}

const unavailable = () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');

function isAnotherAtIt(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && CONTENTION_CODES.has(code);
}
