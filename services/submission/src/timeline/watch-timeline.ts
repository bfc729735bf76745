import { create, equals } from '@bufbuild/protobuf';
import { isUnavailable } from '@supplier/lib/data/postgres';
import { requestedId } from '@supplier/lib/rpc/refusal';
import { type Reading, Watch } from '@supplier/lib/rpc/watch';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { type Timeline, TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import type { Context, Rpcs } from '../context.ts';
import { submissionNotFound } from '../refusals.ts';
import { timelineReader } from './get-timeline.ts';
import { readTimelineMarks } from './timeline-marks.sql.ts';

const EVERY_MS = 1_000;
/** Timelines that are read together: callers' connections are for others, too. */
const TOGETHER = 4;

/**
 * What GetTimeline answers, again whenever it has changed. One statement a second looks for changes of all submissions that
 * are watched on this process; what may have changed is read again, and sent where it has. NOT_FOUND for an unknown
 * submission, RESOURCE_EXHAUSTED beyond 200 streams, UNAVAILABLE while the database is away. Implements docs/contract.md,
 * section 11.
 */
export function watchTimeline(context: Context): Rpcs['watchTimeline'] {
  const { pool, clock, watchBounds: bounds, stopping, log } = context;
  const read = timelineReader(context);
  const watch = new Watch<SubmissionId, Timeline>(
    {
      name: 'WatchTimeline',
      everyMs: EVERY_MS,
      async look(keys) {
        // Marks first: what changes between the two is seen the next time, and not missed.
        const marks = await readTimelineMarks(pool, [...keys.keys()], clock.now());
        const changed = [...keys].filter(([id, known]) => !known || known.mark !== marks.get(id));
        const found = new Map<SubmissionId, Reading<Timeline> | Error>();
        for (let at = 0; at < changed.length; at += TOGETHER)
          await Promise.all(
            changed.slice(at, at + TOGETHER).map(async ([id]) => found.set(id, await one(id, marks.get(id)))),
          );
        return found;
      },
      isSame: (before, now) => equals(TimelineSchema, before, now),
    },
    { bounds, stopping, log },
  );
  return (request, call) =>
    watch.stream(requestedId<SubmissionId>('submission_id', request.submissionId), call);

  /** One that cannot be read harms itself alone. */
  async function one(id: SubmissionId, mark: string | undefined): Promise<Reading<Timeline> | Error> {
    if (mark === undefined) return submissionNotFound();
    try {
      return { mark, state: create(TimelineSchema, await read(id)) };
    } catch (error) {
      if (isUnavailable(error) || !(error instanceof Error)) throw error;
      return error;
    }
  }
}
