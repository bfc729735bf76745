import { equals } from '@bufbuild/protobuf';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type Timeline, TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { mayCall, submissions } from '../../calls.ts';
import { useWatched } from '../../live.ts';
import { BESIDE_STREAM_MS, everyMs, LIVE_MS } from '../../queries.ts';
import { useSession } from '../../session.ts';

/**
 * Queries to refetch when the timeline changes. Documents are excluded because each read is recorded in the audit log.
 */
const FOLLOW_TIMELINE = ['submission', 'lead', 'events'];

/** Returns the state and the live timeline of a submission. */
export function useSubmission(submissionId: string) {
  const { roles } = useSession();
  const queries = useQueryClient();
  const timeline = useWatched<Timeline>({
    queryKey: ['timeline', submissionId],
    isAllowed: mayCall(roles, SubmissionService.method.watchTimeline),
    ask: (options) => submissions.getTimeline({ submissionId }, options),
    watch: (options) => submissions.watchTimeline({ submissionId }, options),
    onChange: (before, now) => {
      if (equals(TimelineSchema, before, now)) return;
      for (const what of FOLLOW_TIMELINE) void queries.invalidateQueries({ queryKey: [what, submissionId] });
    },
  });
  /** Polling interval of changes that the stream doesn't deliver. */
  const refetchMs = timeline.isLive ? BESIDE_STREAM_MS : LIVE_MS;
  const state = useQuery({
    queryKey: ['submission', submissionId],
    refetchInterval: everyMs(refetchMs),
    queryFn: ({ signal }) => submissions.getSubmission({ submissionId }, { signal }),
  });
  return { state, timeline, refetchMs };
}
