import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import type { PendingLead } from '@supplier/proto/submission/v1/pending_leads';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { RowActions } from '../../actions/page-actions.tsx';
import { mayCall, pagesOf, queryOf } from '../../calls.ts';
import { enumColumn, submissionColumn, supplierColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Figure } from '../../components/figure.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { formatAgeSince } from '../../format.ts';
import { useSession } from '../../session.ts';
import { CloseBillingAction } from '../submission/close-billing.tsx';

const { listPendingLeads, closePendingLead } = SubmissionService.method;

interface AccountProps {
  readonly account: string | undefined;
}

/** How many accepted submissions have pending billing, and since when. */
export function PendingBillingFigure({ account = '' }: AccountProps) {
  const { data, error } = useQuery(queryOf(listPendingLeads, { accountId: account, pageSize: 1 }));
  return (
    <Figure
      label="Billing pending"
      value={data ? `${data.count ?? 0}${data.countIsAtLeast ? '+' : ''}` : undefined}
      detail={
        data &&
        (data.oldestReceivedAt ? `Oldest ${formatAgeSince(data.oldestReceivedAt, Date.now())}` : 'None')
      }
      error={error}
    />
  );
}

interface PendingBillingProps extends AccountProps {
  /** Least age in days. */
  readonly days: number;
}

/** Accepted submissions with pending billing, oldest first. */
export function PendingBilling({ account = '', days }: PendingBillingProps) {
  const { roles } = useSession();
  const list = usePagedList(
    pagesOf(listPendingLeads, { pendingDays: days, accountId: account }),
    ({ leads }) => leads,
  );
  return (
    <DataTable
      label="Billing pending"
      hasTitle
      columns={mayCall(roles, closePendingLead) ? WITH_ACTIONS : COLUMNS}
      list={list}
      keyOf={({ submissionId }) => submissionId}
      empty={
        days > 0
          ? 'No billing has been pending that long. Remove the filter to see all.'
          : 'No accepted submission has pending billing.'
      }
    />
  );
}

const COLUMNS: readonly Column<PendingLead>[] = [
  submissionColumn('Submission'),
  supplierColumn('Supplier'),
  enumColumn('Billing model', BillingModelSchema, ({ billingModel }) => billingModel, { isMinor: true }),
  timeColumn('Received', ({ receivedAt }) => receivedAt),
  { name: 'Waiting', cell: ({ receivedAt }) => formatAgeSince(receivedAt, Date.now()), isNumber: true },
];
const closeBilling = (lead: PendingLead) => (
  <RowActions>
    <CloseBillingAction {...lead} />
  </RowActions>
);
const WITH_ACTIONS: readonly Column<PendingLead>[] = [...COLUMNS, { name: 'Actions', cell: closeBilling }];
