import { create, equals } from '@bufbuild/protobuf';
import { isUnavailable } from '@supplier/lib/data/postgres';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { type Timeline, TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import type { Context, Rpcs } from '../context.ts';
import { submissionNotFound } from '../refusals.ts';
import { type Reading, Watch } from '../watch/index.ts';
import { timelineReader } from './get-timeline.ts';
import { readTimelineMarks } from './timeline-marks.sql.ts';

const EVERY_MS = 1_000;
/** Timelines that are read concurrently, so that other callers get connections too. */
const TOGETHER = 4;

/**
 * Streams the response of GetTimeline again whenever it changes. One statement a second checks all submissions watched
 * on this process for changes; those that may have changed are read again, and sent if they differ. NOT_FOUND for an
 * unknown submission, RESOURCE_EXHAUSTED beyond 200 streams, UNAVAILABLE while the database is unavailable. Implements
 * docs/contract.md, section 11.
 */
export function watchTimeline(context: Context): Rpcs['watchTimeline'] {
  const { pool, clock, watchBounds: bounds, stopping, log } = context;
  const read = timelineReader(context);
  const watch = new Watch<SubmissionId, Timeline>(
    {
      name: 'WatchTimeline',
      everyMs: EVERY_MS,
      async look(keys) {
        // Reads the marks first, so that a change between the two reads is seen by the next poll.
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

  /** An unreadable timeline fails only its watchers. */
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
