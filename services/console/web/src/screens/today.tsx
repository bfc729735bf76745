import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { mayCall } from '../calls.ts';
import { ErasuresUnderWayPart } from '../parts/erasures-under-way.tsx';
import { FailingEndpointsPart } from '../parts/failing-endpoints.tsx';
import { ParkedDocumentsPart } from '../parts/parked-documents.tsx';
import { QueuesPart } from '../parts/queues.tsx';
import { UnbilledLeadsPart } from '../parts/unbilled-leads.tsx';
import { WaitingApprovals } from '../parts/waiting-approvals.tsx';
import { useSession } from '../session.ts';

/** What each part is filled by: one is shown to those who may make its call. */
const PARTS = [
  { call: SubmissionService.method.getQueues, part: QueuesPart },
  { call: ApprovalService.method.listApprovals, part: WaitingApprovals },
  { call: BillingService.method.listLeads, part: UnbilledLeadsPart },
  { call: WebhookService.method.listEndpoints, part: FailingEndpointsPart },
  { call: DocumentService.method.listWaitingDocuments, part: ParkedDocumentsPart },
  { call: PrivacyService.method.listErasures, part: ErasuresUnderWayPart },
] as const;

/** What waits, what is stuck and what fails, now. */
export function TodayScreen() {
  const { roles } = useSession();
  return (
    <>
      <h1>Today</h1>
      {PARTS.filter(({ call }) => mayCall(roles, call)).map(({ call, part: Shown }) => (
        <Shown key={call.name} />
      ))}
    </>
  );
}
