import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingStatus, Status } from '@supplier/proto/common/v1/status';
import { DocumentCategorySchema, DocumentService, WaitingFor } from '@supplier/proto/document/v1/document';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { Queue, type QueueLength } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { billing, documents, mayCall, people, submissions, webhooks } from '../calls.ts';
import { EnvironmentMark } from '../parts/marks.tsx';
import { Part } from '../parts/part.tsx';
import { SubmissionsLink } from '../parts/submissions-link.tsx';
import { WaitingApprovals } from '../parts/waiting-approvals.tsx';
import { useSession } from '../session.ts';
import { ageOf, ageSince, wordOf } from '../words.ts';

const FEW = 20;

/** What each queue waits for, as somebody says it who has to do it. */
const QUEUE_WORDS = {
  [Queue.UNSPECIFIED]: 'unknown',
  [Queue.STAFF_DECISION]: 'a decision by staff',
  [Queue.STAFF_PRE_UNDERWRITING]: 'staff to end its pre-underwriting',
  [Queue.APPLICATION]: 'its Application, which the system makes',
  [Queue.DECISION]: 'a decision by the policy',
  [Queue.PARKED]: 'staff to release work that failed repeatedly',
} as const satisfies Record<Queue, string>;

/** What waits, what is stuck and what fails, now. */
export function TodayScreen() {
  const { roles } = useSession();
  const sees = {
    queues: mayCall(roles, SubmissionService.method.getQueues),
    leads: mayCall(roles, BillingService.method.listLeads),
    endpoints: mayCall(roles, WebhookService.method.listEndpoints),
    documents: mayCall(roles, DocumentService.method.listWaitingDocuments),
    erasures: mayCall(roles, PrivacyService.method.listErasures),
  };
  const queues = useQuery({
    queryKey: ['queues'],
    enabled: sees.queues,
    queryFn: ({ signal }) => submissions.getQueues({}, { signal }),
  });
  const failing = useQuery({
    queryKey: ['failing-endpoints'],
    enabled: sees.endpoints,
    queryFn: ({ signal }) => webhooks.listEndpoints({ failing: true, pageSize: FEW }, { signal }),
  });
  const scans = useQuery({
    queryKey: ['parked-documents'],
    enabled: sees.documents,
    queryFn: ({ signal }) =>
      documents.listWaitingDocuments({ waitingFor: WaitingFor.STAFF, pageSize: FEW }, { signal }),
  });
  const unbilled = useQuery({
    queryKey: ['pending-leads'],
    enabled: sees.leads,
    queryFn: ({ signal }) => billing.listLeads({ pageSize: 1 }, { signal }),
  });
  const erasures = useQuery({
    queryKey: ['erasures-under-way'],
    enabled: sees.erasures,
    queryFn: ({ signal }) => people.listErasures({ inProgress: true, pageSize: FEW }, { signal }),
  });
  return (
    <>
      <h1>Today</h1>
      {sees.queues ? (
        <Part title="Submissions that wait" query={queues}>
          {({ queues: lengths }) => (
            <table className="bp6-html-table bp6-compact">
              <thead>
                <tr>
                  <th scope="col">waits for</th>
                  <th scope="col">how many</th>
                  <th scope="col">the oldest for</th>
                </tr>
              </thead>
              <tbody>{oldestFirst(lengths).map(queueRow)}</tbody>
            </table>
          )}
        </Part>
      ) : null}
      <WaitingApprovals />
      {sees.leads ? (
        <Part title="Decided" query={unbilled}>
          {({ count, countIsAtLeast, oldestReceivedAt }) => (
            <ul>
              <li>
                <SubmissionsLink search={{ billing: BillingStatus.PENDING, status: Status.ACCEPTED }}>
                  Accepted, and billing is pending
                </SubmissionsLink>
                : {countIsAtLeast ? 'at least ' : ''}
                {count ?? 0}
                {oldestReceivedAt ? `, the oldest for ${ageSince(oldestReceivedAt, Date.now())}` : ''}
              </li>
              <li>
                <SubmissionsLink search={{ billing: BillingStatus.NOT_BILLABLE }}>
                  Not billed, and why
                </SubmissionsLink>
              </li>
            </ul>
          )}
        </Part>
      ) : null}
      {sees.endpoints ? (
        <Part title="Endpoints that fail" query={failing}>
          {({ endpoints, nextPageToken }) =>
            endpoints.length === 0 ? (
              <p>None: every endpoint took its latest webhook.</p>
            ) : (
              <>
                <ul>
                  {endpoints.map(({ endpoint, waiting }) =>
                    endpoint ? (
                      <li key={endpoint.endpointId}>
                        <EnvironmentMark environment={endpoint.environment} /> {endpoint.url}:{' '}
                        {String(endpoint.failedAttempts)} failed attempts for{' '}
                        {ageSince(endpoint.failingSince, Date.now())},{' '}
                        {waiting === 100 ? '100 or more' : waiting} events wait. Account{' '}
                        <SubmissionsLink search={{ account: endpoint.accountId }}>
                          {endpoint.accountId}
                        </SubmissionsLink>
                      </li>
                    ) : null,
                  )}
                </ul>
                {nextPageToken === '' ? null : <p>There are more: sss endpoints list --failing --all</p>}
              </>
            )
          }
        </Part>
      ) : null}
      {sees.documents ? (
        <Part title="Documents whose scans came to nothing" query={scans}>
          {({ documents: found }) =>
            found.length === 0 ? (
              <p>None.</p>
            ) : (
              <ul>
                {found.map(({ documentId, submissionId, category, ageSeconds, environment }) => (
                  <li key={documentId}>
                    <EnvironmentMark environment={environment} /> {wordOf(DocumentCategorySchema, category)}{' '}
                    of{' '}
                    <Link to="/submissions/$submissionId" params={{ submissionId }}>
                      {submissionId}
                    </Link>{' '}
                    for {ageOf(Number(ageSeconds))}
                  </li>
                ))}
              </ul>
            )
          }
        </Part>
      ) : null}
      {sees.erasures ? (
        <Part title="Erasures that are not complete" query={erasures}>
          {({ erasures: found, nextPageToken }) =>
            found.length === 0 ? (
              <p>None.</p>
            ) : (
              <ul>
                {found.map(({ erasureId, requestedAt, completed, submissions: all }) => (
                  <li key={erasureId}>
                    <Link to="/people" search={{ erasure: erasureId }}>
                      {erasureId}
                    </Link>{' '}
                    for {ageSince(requestedAt, Date.now())}: {completed} of {all}
                  </li>
                ))}
                {nextPageToken === '' ? null : <li>and more</li>}
              </ul>
            )
          }
        </Part>
      ) : null}
    </>
  );
}

const oldestFirst = (queues: readonly QueueLength[]) =>
  queues.toSorted((a, b) => Number(b.oldestAgeSeconds - a.oldestAgeSeconds));

const queueRow = ({ queue, count, atLeast, oldestAgeSeconds }: QueueLength) => (
  <tr key={queue}>
    <th scope="row">
      <SubmissionsLink search={{ queue }}>{QUEUE_WORDS[queue]}</SubmissionsLink>
    </th>
    <td>
      {atLeast ? 'at least ' : ''}
      {String(count)}
    </td>
    <td>{count === 0n ? '' : ageOf(Number(oldestAgeSeconds))}</td>
  </tr>
);
