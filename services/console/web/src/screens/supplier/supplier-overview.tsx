import { Grid, SimpleGrid, Stack } from '@mantine/core';
import { type Account, AccountService } from '@supplier/proto/account/v1/account';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { GetIntakeResponse } from '@supplier/proto/submission/v1/intake';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../calls.ts';
import { CapBar } from '../../components/cap-bar.tsx';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { Facts } from '../../components/facts.tsx';
import { Figure } from '../../components/figure.tsx';
import { Mono } from '../../components/mono.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { Panel, PanelFrame } from '../../components/panel.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { formatMonth, lastDays, monthsBefore, thisMonth } from '../../dates.ts';
import { useEnvironment } from '../../environment.ts';
import { acceptedShareOf, capsUsed, receivedOf } from '../../figures.ts';
import { useIntake } from '../../figures-query.ts';
import { formatDuration } from '../../format.ts';
import { DAYS } from '../overview/overview-queries.ts';

const durationOf = (ms: bigint | undefined) => (ms === undefined ? '—' : formatDuration(Number(ms)));

interface AccountProps {
  readonly account: Account;
}

/** The figures of a supplier in the environment of the shell, its use of caps, and links. */
export function SupplierOverview({ account }: AccountProps) {
  const may = useMay();
  if (may(SubmissionService.method.getIntake)) return <SupplierFigures account={account} />;
  return <AccountPanel account={account} />;
}

function SupplierFigures({ account }: AccountProps) {
  const { accountId } = account;
  const environment = useEnvironment();
  const request = { accountId, environment, ...lastDays(DAYS) };
  const intake = useIntake(request);
  return (
    <>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }} mb="md">
        {intakeFigures(intake.data).map(([label, value, detail]) => (
          <Figure key={label} label={label} value={value} detail={detail} error={intake.error} />
        ))}
        <DeliveryFigure label="Webhooks delivered" of={request} />
      </SimpleGrid>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <OutcomePanel query={intake} actions={<EnvironmentBadge environment={environment} />} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            <Panel title="Caps used" query={intake}>
              {(answer) => <CapsUsed account={account} answer={answer} />}
            </Panel>
            <AccountPanel account={account} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

const NONE = { accepted: 0n, duplicates: 0n, rejected: 0n, returned: 0n, undecided: 0n };

/** Returns label, value and detail of each figure. Values are undefined while they are loading. */
function intakeFigures(answer: GetIntakeResponse | undefined) {
  const counts = answer?.accounts[0] ?? NONE;
  return [
    [
      'Received, last 30 days',
      answer && receivedOf(counts).toLocaleString('en-GB'),
      `${counts.undecided.toLocaleString('en-GB')} undecided`,
    ],
    [
      'Accepted',
      answer && acceptedShareOf([counts]),
      `${counts.accepted.toLocaleString('en-GB')} accepted, ${counts.returned.toLocaleString('en-GB')} returned`,
    ],
    [
      'Decision time, p50',
      answer && durationOf(answer.decisionP50Ms),
      `p95 ${durationOf(answer?.decisionP95Ms)}`,
    ],
  ] as const;
}

/** How much of its caps the supplier has used. */
function CapsUsed({
  account: { terms },
  answer: { accounts },
}: AccountProps & { readonly answer: GetIntakeResponse }) {
  const mayChange = useMay()(AccountService.method.updateAccount);
  const caps = capsUsed(terms?.caps, accounts[0]);
  if (caps.length === 0)
    return <p>This supplier has no caps.{mayChange ? ' Set one under Change terms.' : ''}</p>;
  return (
    <Stack gap="sm">
      {caps.map(({ period, used, cap }) => (
        <CapBar
          key={period}
          label={period === 'perDay' ? 'Accepted today' : 'Accepted this month'}
          used={used}
          cap={cap}
        />
      ))}
    </Stack>
  );
}

/** What identifies the account, and links to its records. */
function AccountPanel({ account: { accountId, revision } }: AccountProps) {
  const may = useMay();
  const months = may(BillingService.method.getStatement) ? [thisMonth(), monthsBefore(thisMonth(), 1)] : [];
  const records = (
    <Stack key="records" gap={4} align="start">
      <SubmissionsLink search={{ account: accountId }}>Submissions</SubmissionsLink>
      {months.map((month) => (
        <Link key={month} to="/suppliers/$accountId/statements/$month" params={{ accountId, month }}>
          {`Statement for ${formatMonth(month)}`}
        </Link>
      ))}
      {months.map((month) => (
        <Link key={`report ${month}`} to="/reports" search={{ account: accountId, month }}>
          {`Report for ${formatMonth(month)}`}
        </Link>
      ))}
      {may(AuditService.method.listAudit) ? (
        <Link to="/audit" search={{ account: accountId }}>
          Audit log
        </Link>
      ) : null}
    </Stack>
  );
  return (
    <PanelFrame title="Account">
      <Facts
        facts={[
          ['ID', <Mono key="id">{accountId}</Mono>],
          ['Revision', String(revision)],
          ['Records', records],
        ]}
      />
    </PanelFrame>
  );
}
