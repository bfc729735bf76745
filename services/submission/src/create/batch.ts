import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { decideInTurn } from '../decide/decide-leads.ts';
import type { SubmissionState } from '../model/submission.ts';
import { type GroupBounds, type Recording, recordGroup } from './transaction.ts';

/** Records a submission; resolves to its state, or to undefined when the account has used the reference before. */
export type RecordSubmission = (recording: Recording) => Promise<SubmissionState | undefined>;

/** How many are recorded at once, and how. */
interface Stage extends GroupBounds {
  readonly maxGroup: number;
  readonly maxQueue: number;
  readonly lanes: number;
  readonly beatMs: number;
}

/**
 * Two groups at once: while one waits for its commit, the next is being sent. Their wait is as long as one try of a
 * migration, 500 ms, and ends before PostgreSQL checks for deadlocks, after 1 s.
 */
const TOGETHER: Stage = {
  maxGroup: 64,
  maxQueue: 2_000,
  lanes: 2,
  beatMs: 20,
  lockWaitMs: 500,
  decides: new Set([Level.BASIC, Level.APPLICATION]),
};
/** The answer to a basic one is its decision. The others wait neither for caps nor for what made their group fail. */
const decides = new Set([Level.BASIC]);
/** The members of a group that failed. They hardly wait for the same lock again, since others queue behind them. */
const ALONE: Stage = { maxGroup: 1, maxQueue: 2_000, lanes: 2, beatMs: 0, lockWaitMs: 50, decides };
/** Those whose own locks another transaction holds, one after the other. */
const BEHIND_ANOTHER: Stage = { maxGroup: 1, maxQueue: 2_000, lanes: 2, beatMs: 0, lockWaitMs: 300, decides };
/** The gateway waits for 4.5 s. */
const GIVE_UP_AFTER_MS = 3_500;
/** Where creates have waited for longer, more come than can be decided: they are recorded, and decided when it is quieter. */
const DECIDE_WITHIN_MS = 1_000;
/** lock_not_available, deadlock_detected and unique_violation: another transaction records or decides the same. */
const ANOTHER_IS_AT_IT = new Set(['55P03', '40P01', '23505']);

/** A recording in progress; `arrivedAt` by the process's monotonic clock. */
interface Arrival extends Recording {
  readonly arrivedAt: number;
}

const waitedMs = ({ elapsedMs }: Context, { arrivedAt }: Arrival): number => elapsedMs() - arrivedAt;

/**
 * Records submissions in groups: creates that arrive while an earlier group commits share the next commit. They are
 * decided before they are recorded, so that each row is written once; those that wait for staff, for an earlier one of
 * their customer or for a policy that works, or have waited for a second already, are recorded undecided, for staff and
 * workers. The members of a group that
 * fails are recorded one by one: a bad one fails alone, and one whose customer or reference another transaction has
 * locked waits apart from the others; 3.5 s after its arrival, or if 2,000 wait already, it is refused as unavailable.
 * Implements docs/contract.md, section 2.
 */
export function recordSubmissions(context: Context): RecordSubmission {
  const together = stage(context, TOGETHER);
  const alone = stage(context, ALONE);
  const behindAnother = stage(context, BEHIND_ANOTHER);

  async function record(recording: Recording): Promise<SubmissionState | undefined> {
    const arrival: Arrival = { ...recording, arrivedAt: context.elapsedMs() };
    for (let attempt = together; ; attempt = attempt === together ? alone : behindAnother) {
      try {
        return await attempt(arrival);
      } catch (error) {
        const othersMayBeToBlame = attempt === together && !isDependencyUnavailable(error);
        if (!othersMayBeToBlame && !isAnotherAtIt(error)) throw error;
        if (waitedMs(context, arrival) >= GIVE_UP_AFTER_MS) throw givenUp(context, error);
      }
    }
  }

  return async (recording) => {
    const recorded = await record(recording);
    // The answer to a create at application level is the submission as it was received.
    if (recorded === undefined || recorded.level !== Level.BASIC) return recorded;
    const isUndecided = recorded.status === Status.RECEIVED && !recorded.awaitsStaff;
    return isUndecided ? decidedInTurn(context, recorded) : recorded;
  };
}

function stage(context: Context, bounds: Stage) {
  const { maxGroup, maxQueue, lanes, beatMs } = bounds;
  return groupCommit<Arrival, SubmissionState | undefined>({
    maxGroup,
    maxQueue,
    lanes,
    beatMs,
    overloaded: unavailable,
    flush(group) {
      const longestMs = Math.max(...group.map((arrival) => waitedMs(context, arrival)));
      if (group.every((arrival) => waitedMs(context, arrival) >= GIVE_UP_AFTER_MS)) throw unavailable();
      return recordGroup(context, longestMs < DECIDE_WITHIN_MS ? bounds : { ...bounds, decides }, group);
    },
  });
}

function givenUp({ log }: Context, err: unknown): unknown {
  if (!isAnotherAtIt(err)) return err;
  log.warn({ err }, 'create given up behind another transaction');
  return unavailable();
}

const unavailable = () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');

function isAnotherAtIt(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && ANOTHER_IS_AT_IT.has(code);
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
