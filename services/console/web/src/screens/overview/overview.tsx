import { Grid, SimpleGrid, Stack } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Environment, LevelSchema } from '@supplier/proto/common/v1/status';
import type { IntakeOfAccount, IntakeOfDay } from '@supplier/proto/submission/v1/intake';
import { Queue, type QueueLength } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { keyOf, submissions, useMay } from '../../calls.ts';
import { Business } from '../../components/business.tsx';
import { CapBar } from '../../components/cap-bar.tsx';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { Figure } from '../../components/figure.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { LoadingLines, Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { accountQuery, SupplierName } from '../../components/supplier-name.tsx';
import { lastDays } from '../../dates.ts';
import { useEnvironment } from '../../environment.ts';
import { changeOf, receivedOf } from '../../figures.ts';
import { enumLabel, formatAge, formatAgeSince, formatWholePounds } from '../../format.ts';
import { BESIDE_STREAM_MS } from '../../queries.ts';
import { NeedsAttention } from './needs-attention.tsx';
import { type Queues, queueOf, useLatestIntake, useQueues } from './overview-queries.ts';

/** Figures, queues and problems of one environment. */
export function OverviewScreen() {
  const may = useMay();
  const environment = useEnvironment();
  const seesSubmissions = may(SubmissionService.method.getQueues);
  const queues = useQueues(environment, seesSubmissions);
  const intake = useLatestIntake(environment, seesSubmissions);
  // What is below the chart on a phone is rendered after the first paint.
  const isPainted = useDeferredValue(true, false);
  return (
    <>
      <PageHeader title="Overview">
        <EnvironmentBadge environment={environment} />
      </PageHeader>
      {seesSubmissions ? (
        <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }} mb="md">
          <QueueFigures queues={queues} />
          <ReceivedFigure environment={environment} />
          <DeliveryFigure label="Webhook delivery, today" of={{ environment, ...lastDays(1) }} />
        </SimpleGrid>
      ) : null}
      <Grid gap="md">
        {seesSubmissions ? (
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Stack gap="md">
              <OutcomePanel query={intake} />
              {isPainted ? <AwaitingDecision environment={environment} queues={queues} /> : null}
            </Stack>
          </Grid.Col>
        ) : null}
        <Grid.Col span={{ base: 12, lg: 4 }}>
          {isPainted ? (
            <Stack gap="md">
              <NeedsAttention environment={environment} queues={queues} />
              {seesSubmissions ? <DailyCaps environment={environment} /> : null}
            </Stack>
          ) : null}
        </Grid.Col>
      </Grid>
    </>
  );
}

/** Waiting longer than this is marked. */
const LONG_SECONDS = 3_600;
const WEEK_DAYS = 7;

/** The length and age of the two queues that staff work on. */
function QueueFigures({ queues: { query, isLost } }: { readonly queues: Queues }) {
  const queues = [
    [Queue.STAFF_DECISION, 'Awaiting decision'],
    [Queue.STAFF_PRE_UNDERWRITING, 'Pre-underwriting review'],
  ] as const;
  return (
    <>
      {queues.map(([queue, label]) => (
        <Figure
          key={queue}
          label={<SubmissionsLink search={{ queue: [queue] }}>{label}</SubmissionsLink>}
          value={query.data && countOf(queueOf(query.data, queue))}
          detail={isLost ? 'Live updates lost. Reconnecting…' : ageOf(queueOf(query.data, queue))}
          isBad={Number(queueOf(query.data, queue)?.oldestAgeSeconds ?? 0) > LONG_SECONDS}
          error={query.error}
        />
      ))}
    </>
  );
}

const countOf = (length: QueueLength | undefined) => `${length?.count ?? 0}${length?.atLeast ? '+' : ''}`;
const ageOf = (length: QueueLength | undefined) =>
  length && length.count > 0n ? `Oldest ${formatAge(Number(length.oldestAgeSeconds))}` : 'None';

/** Submissions received today, compared with the same weekday of last week. */
function ReceivedFigure({ environment }: { readonly environment: Environment }) {
  const { data, error } = useLatestIntake(environment);
  const today = receivedOn(data?.days.at(-1));
  return (
    <Figure
      label="Received today"
      value={data ? today.toLocaleString('en-GB') : undefined}
      detail={data ? comparison(today, receivedOn(data.days.at(-1 - WEEK_DAYS))) : undefined}
      error={error}
    />
  );
}

const receivedOn = (day: IntakeOfDay | undefined): bigint => (day ? receivedOf(day) : 0n);

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });
function comparison(today: bigint, before: bigint): string {
  const name = weekday.format(Date.now());
  const change = changeOf(today, before);
  return change === undefined ? `None last ${name}` : `${change} vs all of last ${name}`;
}

/** Suppliers whose caps are loaded: those with the most submissions. */
const MAX_CAPPED = 10;

/** How much of its daily cap each supplier has used. */
const DailyCaps = ({ environment }: { readonly environment: Environment }) => (
  <Panel title="Daily caps" query={useLatestIntake(environment)}>
    {({ accounts: counted }) => <Caps counted={counted.slice(0, MAX_CAPPED)} />}
  </Panel>
);

function Caps({ counted }: { readonly counted: readonly IntakeOfAccount[] }) {
  const loaded = useQueries({
    queries: counted.map(({ accountId }) => accountQuery(accountId)),
  });
  const capped = counted.flatMap(({ accountId, acceptedToday }, place) => {
    const cap = loaded[place]?.data?.terms?.caps?.acceptedPerDay;
    return cap === undefined ? [] : [{ accountId, used: acceptedToday, cap }];
  });
  const failed = loaded.find(({ data, error }) => error && !data);
  if (failed) return <LoadError error={failed.error} />;
  if (loaded.some(({ data }) => !data)) return <LoadingLines />;
  if (capped.length === 0) return <p>No supplier with submissions this month has a daily cap.</p>;
  return (
    <Stack gap="sm">
      {capped.map(({ accountId, used, cap }) => (
        <CapBar key={accountId} label={<SupplierName accountId={accountId} />} used={used} cap={cap} />
      ))}
    </Stack>
  );
}

const QUEUE = [Queue.STAFF_DECISION];
const FEW = 5;
const HEADS = ['Waiting', 'Supplier', 'Reference', 'Amount', 'Business', 'Level'];

/** The submissions that have waited longest for a decision of staff, with a link to all of them. */
interface AwaitingDecisionProps {
  readonly environment: Environment;
  readonly queues: Queues;
}

function AwaitingDecision({ environment, queues }: AwaitingDecisionProps) {
  // Empty until the queues are loaded.
  const count = queueOf(queues.query.data, Queue.STAFF_DECISION)?.count.toLocaleString('en-GB') ?? '';
  const request = { environment, queues: QUEUE, oldestFirst: true, pageSize: FEW };
  const query = useQuery({
    queryKey: keyOf(SubmissionService.method.listSubmissions, request, count),
    // Otherwise it would be requested again once they are counted.
    enabled: !queues.query.isPending,
    refetchInterval: BESIDE_STREAM_MS,
    queryFn: ({ signal }) => submissions.listSubmissions(request, { signal }),
  });
  return (
    <Panel
      title="Awaiting decision"
      query={query}
      isFlush
      actions={<SubmissionsLink search={{ queue: QUEUE }}>{`View all ${count}`}</SubmissionsLink>}
    >
      {({ submissions: rows }) => (
        <SimpleTable
          label="Awaiting decision"
          empty="No submissions are awaiting a decision."
          heads={HEADS}
          numbers={['Amount']}
          rows={rows.map((row) => [
            formatAgeSince(row.receivedAt, Date.now()),
            <SupplierName key="supplier" accountId={row.accountId} />,
            <SubmissionLink key="reference" submissionId={row.submissionId}>
              {visible(row.externalReference)}
            </SubmissionLink>,
            formatWholePounds(row.fundingAmount),
            <Business key="business" of={row} />,
            enumLabel(LevelSchema, row.level),
          ])}
        />
      )}
    </Panel>
  );
}
