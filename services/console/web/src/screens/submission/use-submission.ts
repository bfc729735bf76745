import { equals } from '@bufbuild/protobuf';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keyOf, queryOf, submissions, useMay } from '../../calls.ts';
import { useWatched } from '../../live.ts';
import { BESIDE_STREAM_MS, everyMs, LIVE_MS } from '../../queries.ts';

const { getSubmission, getTimeline, watchTimeline } = SubmissionService.method;

/**
 * Queries to refetch when the timeline changes. Documents are excluded because each read is recorded in the audit log.
 */
const queriesOf = (submissionId: string) => [
  keyOf(getSubmission, { submissionId }),
  keyOf(BillingService.method.getSubmissionLedger, { submissionId }),
  keyOf(WebhookService.method.listEvents, { submissionId }),
];

/** Returns the state and the live timeline of a submission. */
export function useSubmission(submissionId: string) {
  const may = useMay();
  const queries = useQueryClient();
  const timeline = useWatched({
    query: queryOf(getTimeline, { submissionId }),
    isAllowed: may(watchTimeline),
    watch: (options) => submissions.watchTimeline({ submissionId }, options),
    onChange: (before, now) => {
      if (equals(TimelineSchema, before, now)) return;
      for (const queryKey of queriesOf(submissionId)) void queries.invalidateQueries({ queryKey });
    },
  });
  /** Polling interval of changes that the stream doesn't deliver. */
  const refetchMs = timeline.isLive ? BESIDE_STREAM_MS : LIVE_MS;
  const state = useQuery({
    ...queryOf(getSubmission, { submissionId }),
    refetchInterval: everyMs(refetchMs),
  });
  return { state, timeline, refetchMs };
}
