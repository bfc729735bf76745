import {
  LevelSchema,
  NotBillableReasonSchema,
  ReturnReasonCategorySchema,
} from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Acts } from '../acts/acts.tsx';
import { submissions } from '../calls.ts';
import { BillingPart } from '../parts/billing.tsx';
import { DeliveriesPart } from '../parts/deliveries.tsx';
import { DocumentsPart } from '../parts/documents.tsx';
import { BillingMark, EnvironmentMark, StatusMark } from '../parts/marks.tsx';
import { Part } from '../parts/part.tsx';
import { TimelinePart } from '../parts/timeline.tsx';
import { timeOf, wordOf } from '../words.ts';

const route = getRouteApi('/submissions/$submissionId');

/** All that is known of one submission, apart from its applicant, and what can be done with it now. */
export function SubmissionScreen() {
  const { submissionId } = route.useParams();
  const state = useQuery({
    queryKey: ['submission', submissionId],
    queryFn: ({ signal }) => submissions.getSubmission({ submissionId }, { signal }),
  });
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
              <dd>{submission.externalReference}</dd>
              <dt>level</dt>
              <dd>{wordOf(LevelSchema, submission.level)}</dd>
              <dt>status</dt>
              <dd>
                <StatusMark status={submission.status} />
                {submission.return
                  ? ` ${wordOf(ReturnReasonCategorySchema, submission.return.reasonCategory)}, ${timeOf(submission.return.returnedAt)}`
                  : ''}
              </dd>
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
            <Acts submission={submission} />
          </>
        )}
      </Part>
      <TimelinePart submissionId={submissionId} />
      <BillingPart submissionId={submissionId} />
      <DeliveriesPart submissionId={submissionId} />
      <DocumentsPart submissionId={submissionId} />
    </>
  );
}
