import { equals } from '@bufbuild/protobuf';
import { visible } from '@supplier/lib/text/visible';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import {
  LevelSchema,
  NotBillableReasonSchema,
  ReturnReasonCategorySchema,
} from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type Timeline, TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Acts } from '../acts/acts.tsx';
import { mayCall, submissions } from '../calls.ts';
import { useWatched } from '../live.ts';
import { ApplicantPart } from '../parts/applicant.tsx';
import { BillingPart } from '../parts/billing.tsx';
import { DeliveriesPart } from '../parts/deliveries.tsx';
import { DocumentsPart } from '../parts/documents.tsx';
import { BillingMark, ContactMark, EnvironmentMark, StatusMark } from '../parts/marks.tsx';
import { Part } from '../parts/part.tsx';
import { TimelinePart } from '../parts/timeline.tsx';
import { BESIDE_STREAM_MS, everyMs, LIVE_MS } from '../queries.ts';
import { useSession } from '../session.ts';
import { timeOf, wordOf } from '../words.ts';

/**
 * Queries to refetch when the timeline changes. Documents are excluded because each read is recorded in the audit log.
 */
const FOLLOW_TIMELINE = ['submission', 'lead', 'events'];

const route = getRouteApi('/submissions/$submissionId');

/** The call behind each part. A part is shown to people who may make its call. */
const PARTS = [
  { call: SubmissionService.method.readEnquiry, part: ApplicantPart },
  { call: SubmissionService.method.getTimeline, part: TimelinePart },
  { call: BillingService.method.getLead, part: BillingPart },
  { call: WebhookService.method.listEvents, part: DeliveriesPart },
  { call: DocumentService.method.listDocuments, part: DocumentsPart },
] as const;

/** Shows one submission, its applicant's details after a purpose is entered, and the available actions. */
export function SubmissionScreen() {
  const { submissionId } = route.useParams();
  const { roles } = useSession();
  const queries = useQueryClient();
  const mayWatch = mayCall(roles, SubmissionService.method.watchTimeline);
  const timeline = useWatched<Timeline>({
    queryKey: ['timeline', submissionId],
    isAllowed: mayWatch,
    ask: (options) => submissions.getTimeline({ submissionId }, options),
    watch: (options) => submissions.watchTimeline({ submissionId }, options),
    onChange: (before, now) => {
      if (equals(TimelineSchema, before, now)) return;
      for (const what of FOLLOW_TIMELINE) void queries.invalidateQueries({ queryKey: [what, submissionId] });
    },
  });
  const lookMs = timeline.isLive ? BESIDE_STREAM_MS : LIVE_MS;
  const state = useQuery({
    queryKey: ['submission', submissionId],
    refetchInterval: everyMs(lookMs),
    queryFn: ({ signal }) => submissions.getSubmission({ submissionId }, { signal }),
  });
  const hasApplication = state.data?.applicationReference !== undefined;
  return (
    <>
      <h1>Submission</h1>
      <Part title="State" query={state} nothing="There is no such submission.">
        {(submission) => (
          <>
            <dl className="facts">
              <dt>id</dt>
              <dd>{submission.submissionId}</dd>
              <dt>environment</dt>
              <dd>
                <EnvironmentMark environment={submission.environment} />
              </dd>
              <dt>the supplier’s reference</dt>
              <dd>{visible(submission.externalReference)}</dd>
              <dt>level</dt>
              <dd>{wordOf(LevelSchema, submission.level)}</dd>
              <dt>status</dt>
              <dd>
                <StatusMark status={submission.status} />
                {submission.return
                  ? ` ${wordOf(ReturnReasonCategorySchema, submission.return.reasonCategory)}, ${timeOf(submission.return.returnedAt)}`
                  : ''}
              </dd>
              {timeline.query.data?.checkContact.length ? (
                <>
                  <dt>contact</dt>
                  <dd>
                    <ContactMark checks={timeline.query.data.checkContact} />
                  </dd>
                </>
              ) : null}
              <dt>received</dt>
              <dd>{timeOf(submission.receivedAt)}</dd>
              <dt>decided</dt>
              <dd>{timeOf(submission.decidedAt)}</dd>
              <dt>Application</dt>
              <dd>{submission.applicationReference ?? 'none'}</dd>
              <dt>billing</dt>
              <dd>
                <BillingMark status={submission.billing?.billingStatus ?? 0} />
                {submission.billing?.notBillableReason
                  ? ` because: ${wordOf(NotBillableReasonSchema, submission.billing.notBillableReason)}`
                  : ''}
              </dd>
            </dl>
            <Acts key={submissionId} submission={submission} timeline={timeline.query.data} />
          </>
        )}
      </Part>
      {PARTS.filter(({ call }) => mayCall(roles, call)).map(({ call, part: Filled }) => (
        <Filled
          key={`${call.name} ${submissionId}`}
          lookMs={lookMs}
          timeline={timeline}
          submissionId={submissionId}
          hasApplication={hasApplication}
        />
      ))}
      {mayCall(roles, AuditService.method.listAudit) ? (
        <p>
          <Link to="/audit" search={{ service: 'submission', target: submissionId }}>
            Who did what with it, in the audit log
          </Link>
        </p>
      ) : null}
    </>
  );
}
