import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { getRouteApi } from '@tanstack/react-router';
import { mayCall } from '../calls.ts';
import { ErasuresUnderWayPart } from '../parts/erasures-under-way.tsx';
import { FailingEndpointsPart } from '../parts/failing-endpoints.tsx';
import { EnvironmentMark } from '../parts/marks.tsx';
import { ParkedDocumentsPart } from '../parts/parked-documents.tsx';
import { QueuesPart } from '../parts/queues.tsx';
import { UnbilledLeadsPart } from '../parts/unbilled-leads.tsx';
import { WaitingApprovals } from '../parts/waiting-approvals.tsx';
import { useSession } from '../session.ts';
import { wordOf } from '../words.ts';
import { todaySearch } from './today-search.ts';

const route = getRouteApi('/');

/** The call behind each part. A part is shown to people who may make its call. */
const PARTS = [
  { call: SubmissionService.method.getQueues, part: QueuesPart },
  { call: ApprovalService.method.listApprovals, part: WaitingApprovals },
  { call: SubmissionService.method.listPendingLeads, part: UnbilledLeadsPart },
  { call: WebhookService.method.listEndpoints, part: FailingEndpointsPart },
  { call: DocumentService.method.listWaitingDocuments, part: ParkedDocumentsPart },
  { call: PrivacyService.method.listErasures, part: ErasuresUnderWayPart },
] as const;

/** Shows the present work queues and problems of one environment. */
export function TodayScreen() {
  const { roles } = useSession();
  const { environment = Environment.PRODUCTION } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <h1>
        Today <EnvironmentMark environment={environment} />
      </h1>
      <div className="filters">
        <label>
          Environment
          <select
            value={environment}
            onChange={(event) =>
              void navigate({ search: todaySearch({ environment: event.target.value }), replace: true })
            }
          >
            {[Environment.PRODUCTION, Environment.SANDBOX].map((one) => (
              <option key={one} value={one}>
                {wordOf(EnvironmentSchema, one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {PARTS.filter(({ call }) => mayCall(roles, call)).map(({ call, part: Shown }) => (
        <Shown key={`${call.name} ${environment}`} environment={environment} />
      ))}
    </>
  );
}
