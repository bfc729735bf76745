import { Button } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import {
  BillingStatusSchema,
  EnvironmentSchema,
  LevelSchema,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { QueueSchema } from '@supplier/proto/submission/v1/queues';
import { getRouteApi, Link } from '@tanstack/react-router';
import { mayActOnSeveral } from '../acts/several.tsx';
import { submissions } from '../calls.ts';
import { useChoosing } from '../parts/choosing.tsx';
import { ChosenSubmissions } from '../parts/chosen-submissions.tsx';
import { Choice, Words } from '../parts/filters.tsx';
import { BillingMark, ContactMark, StatusMark } from '../parts/marks.tsx';
import { usePages } from '../parts/pages.ts';
import { type Column, Rows } from '../parts/rows.tsx';
import { SUBMISSION_COLUMNS } from '../parts/submission-columns.tsx';
import { useSession } from '../session.ts';
import { timeOf, wordOf } from '../words.ts';
import { type SubmissionsSearch, submissionsSearch } from './submissions-search.ts';

const route = getRouteApi('/submissions');

/** Lists submissions, newest first, with filters. */
export function SubmissionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment = 0, status, billing = 0, queue, account, reference, request } = search;
  const pages = usePages(['submissions', search], async (page, signal) => {
    const { submissions: rows, nextPageToken } = await submissions.listSubmissions(
      {
        environment,
        statuses: status ? [status] : [],
        billingStatus: billing,
        queues: queue ? [queue] : [],
        ...(account ? { accountId: account } : {}),
        ...(reference ? { referencePrefix: reference } : {}),
        ...(request ? { requestId: request } : {}),
        ...page,
      },
      { signal },
    );
    return { rows, next: nextPageToken };
  });
  const choosing = useChoosing(JSON.stringify(search), pages.rows, idOf, nameOf);
  const mayChoose = mayActOnSeveral(useSession().roles);
  const change = (part: SubmissionsSearch) =>
    void navigate({ search: (before: SubmissionsSearch) => submissionsSearch({ ...before, ...part }) });
  return (
    <>
      <h1>Submissions</h1>
      <div className="filters">
        <Choice
          label="environment"
          schema={EnvironmentSchema}
          value={environment}
          onChange={(value) => change({ environment: value })}
        />
        <Choice
          label="status"
          schema={StatusSchema}
          value={status ?? 0}
          onChange={(value) => change({ status: value })}
        />
        <Choice
          label="billing"
          schema={BillingStatusSchema}
          value={billing}
          onChange={(value) => change({ billing: value })}
        />
        <Choice
          label="waits for"
          schema={QueueSchema}
          value={queue ?? 0}
          onChange={(value) => change({ queue: value })}
        />
        <Words label="account" value={account} onChange={(value) => change({ account: value })} />
        <Words
          label="reference begins"
          value={reference}
          onChange={(value) => change({ reference: value })}
        />
        <Words label="made by request" value={request} onChange={(value) => change({ request: value })} />
        <Button onClick={pages.lookAgain}>Look again</Button>
      </div>
      {mayChoose ? <ChosenSubmissions choosing={choosing} /> : null}
      <Rows
        label="Submissions"
        columns={COLUMNS}
        pages={pages}
        keyOf={idOf}
        nothing="None are found."
        choosing={mayChoose ? choosing : undefined}
      />
    </>
  );
}

const idOf = ({ submissionId }: ListedSubmission) => submissionId;
const referenceOf = ({ externalReference }: ListedSubmission) => visible(externalReference);
/** References are unique only within a supplier: two suppliers may use the same one. */
const nameOf = (submission: ListedSubmission) => `${referenceOf(submission)}, ${idOf(submission)}`;

const COLUMNS: readonly Column<ListedSubmission>[] = [
  ...SUBMISSION_COLUMNS,
  {
    name: 'reference',
    cell: referenceOf,
    order: ({ externalReference }) => externalReference,
  },
  { name: 'level', cell: ({ level }) => wordOf(LevelSchema, level) },
  {
    name: 'status',
    cell: ({ status, waitsForStaff, parked, checkContact }) => (
      <>
        <StatusMark status={status} />
        {waitsForStaff ? ' waits for staff' : ''}
        {parked ? ' parked' : ''} <ContactMark checks={checkContact} />
      </>
    ),
    order: ({ status }) => status,
  },
  {
    name: 'billing',
    cell: ({ billingStatus }) => <BillingMark status={billingStatus} />,
    order: ({ billingStatus }) => billingStatus,
  },
  {
    name: 'received',
    cell: ({ receivedAt }) => timeOf(receivedAt),
    order: ({ receivedAt }) => receivedAt?.seconds ?? 0n,
  },
  { name: 'Application', cell: ({ applicationReference }) => applicationReference },
  {
    name: 'account',
    cell: ({ accountId }) => (
      <Link to="/suppliers/$accountId" params={{ accountId }}>
        {accountId}
      </Link>
    ),
    order: ({ accountId }) => accountId,
  },
];
