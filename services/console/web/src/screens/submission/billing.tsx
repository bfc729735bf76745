import { Text } from '@mantine/core';
import { BillingService, EntryKindSchema, type LedgerEntry } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema, NotBillableReason } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queryOf, useMay } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { Money } from '../../components/money.tsx';
import { Panel } from '../../components/panel.tsx';
import { BillingBadge } from '../../components/status-badge.tsx';
import { ExactTime, RelativeTime } from '../../components/time.tsx';
import { formatMonth } from '../../dates.ts';
import { enumLabel } from '../../format.ts';
import { everyMs } from '../../queries.ts';

/** Explains why a submission is not charged. */
const REASONS = {
  [NotBillableReason.UNSPECIFIED]: '',
  [NotBillableReason.DUPLICATE]: 'The same customer was accepted before.',
  [NotBillableReason.REJECTED]: 'The submission was rejected.',
  [NotBillableReason.SANDBOX]: 'Sandbox submissions are never charged.',
  [NotBillableReason.RETURNED]: 'The submission was returned to the supplier.',
} as const satisfies Record<NotBillableReason, string>;

interface BillingPanelProps {
  readonly submissionId: string;
  readonly refetchMs: number;
}

/** Whether a submission is charged, the reason if not, and its ledger lines. */
export function BillingPanel({ submissionId, refetchMs }: BillingPanelProps) {
  const query = useQuery({
    ...queryOf(BillingService.method.getSubmissionLedger, { submissionId }),
    refetchInterval: everyMs(refetchMs),
  });
  return (
    <Panel title="Billing" query={query} empty="There is no such submission.">
      {({ accountId, billing: state, entries }) => {
        const reason = REASONS[state?.notBillableReason ?? 0];
        return (
          <>
            <Facts
              facts={[
                [
                  'Status',
                  <BillingBadge
                    key="status"
                    status={state?.billingStatus ?? 0}
                    reason={state?.notBillableReason}
                  />,
                ],
                ['Model', enumLabel(BillingModelSchema, state?.billingModel ?? 0)],
                state?.billableAt && ['Billable since', <ExactTime key="since" at={state.billableAt} />],
                ...entries.map((entry) => factOf(accountId, entry)),
              ]}
            />
            {reason === '' ? null : (
              <Text size="sm" c="dimmed" mt="xs">
                {reason}
              </Text>
            )}
          </>
        );
      }}
    </Panel>
  );
}

const factOf = (accountId: string, { entryId, kind, occurredAt, pence, statementMonth }: LedgerEntry) =>
  [
    enumLabel(EntryKindSchema, kind),
    <span key={entryId}>
      {pence === undefined ? 'No price yet' : <Money pence={pence} />}, <RelativeTime at={occurredAt} />,{' '}
      <StatementLink accountId={accountId} month={statementMonth} />
    </span>,
  ] as const;

function StatementLink({ accountId, month }: { readonly accountId: string; readonly month: string }) {
  const may = useMay();
  const name = `Statement for ${formatMonth(month)}`;
  if (!may(BillingService.method.getStatement)) return name;
  return (
    <Link to="/suppliers/$accountId/statements/$month" params={{ accountId, month }}>
      {name}
    </Link>
  );
}
