import type { DescMethod } from '@bufbuild/protobuf';
import { Button, Popover, SimpleGrid, Stack, Text } from '@mantine/core';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { getRouteApi } from '@tanstack/react-router';
import { TerminalCommand } from '../../actions/confirm-dialog.tsx';
import { useMay } from '../../calls.ts';
import { ChoiceFilter, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { formatDay, formatMonth, lastDayOf, lastDays, latestMonths } from '../../dates.ts';
import { useEnvironment } from '../../environment.ts';
import type { FiguresOf } from '../../figures-query.ts';
import { enumFlag } from '../../format.ts';
import { type Change, reportsSearch, SPANS_DAYS } from '../../searches.ts';
import {
  DeliveryCharts,
  DeliveryFigures,
  IntakeCharts,
  IntakeFigures,
  type Report,
  ValueChart,
  ValueFigure,
} from './report-sections.tsx';
import { ReportTables } from './report-tables.tsx';

const route = getRouteApi('/reports');
const MONTHS = 12;

/** Volumes, outcomes, durations and value, as far as the person's roles allow. */
export function ReportsScreen() {
  const { days = 30, month, account } = route.useSearch();
  const environment = useEnvironment();
  const navigate = route.useNavigate();
  const may = useMay();
  const of: FiguresOf = {
    environment,
    ...(month ? { fromDay: `${month}-01`, untilDay: lastDayOf(month) } : lastDays(days)),
    ...(account ? { accountId: account } : {}),
  };
  const change = (part: Change<ReturnType<typeof reportsSearch>>) =>
    void navigate({ search: (before) => reportsSearch({ ...before, ...part }) });
  const reports = REPORTS_BY_CALL.filter(({ method }) => may(method));
  return (
    <>
      <PageHeader
        title={month ? `Report for ${formatMonth(month)}` : 'Reports'}
        actions={
          <>
            <Commands commands={reports.map((one) => one.command(of))} />
            <Button onClick={() => window.print()}>Print</Button>
          </>
        }
      >
        {account ? <SupplierName accountId={account} /> : null}
        <EnvironmentBadge environment={environment} />
        <Text c="dimmed" size="sm">
          {`${formatDay(of.fromDay)} to ${formatDay(of.untilDay)}`}
        </Text>
      </PageHeader>
      <FilterBar>
        <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
        <ChoiceFilter
          label="Period"
          options={periods()}
          value={[month ?? String(days)]}
          onChange={([value = '']) => change({ days: value, month: value })}
          isSingle
          isRequired
        />
        <Text size="xs" c="dimmed">
          Submissions and outcomes are counted on the day of receipt (UTC). Times are accurate to 10%.
        </Text>
      </FilterBar>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
          {reports.map(({ method, Figures }) => (
            <Figures key={method.name} of={of} />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          {reports.map(({ method, Charts }) => (
            <Charts key={method.name} of={of} />
          ))}
        </SimpleGrid>
        <ReportTables of={of} />
      </Stack>
    </>
  );
}

/** Each is a valid value of one of the two parameters, and the other one drops it. */
const periods = () => [
  ...SPANS_DAYS.map((days) => ({ value: String(days), label: `Last ${days} days` })),
  ...latestMonths(MONTHS).map((month) => ({ value: month, label: formatMonth(month) })),
];

interface ReportParts {
  readonly method: DescMethod;
  readonly command: (of: FiguresOf) => string;
  readonly Figures: Report;
  readonly Charts: Report;
}

const range = ({ fromDay, untilDay, accountId }: FiguresOf) =>
  `--from-day ${fromDay} --until-day ${untilDay}${accountId ? ` --account-id ${accountId}` : ''}`;
const environmentFlag = ({ environment }: FiguresOf) =>
  `--environment ${enumFlag(EnvironmentSchema, environment)}`;

/** The reports, each with the call that fills it. */
const REPORTS_BY_CALL: readonly ReportParts[] = [
  {
    method: SubmissionService.method.getIntake,
    command: (of) => `sss figures intake ${environmentFlag(of)} ${range(of)}`,
    Figures: IntakeFigures,
    Charts: IntakeCharts,
  },
  {
    method: WebhookService.method.getDeliveryFigures,
    command: (of) => `sss figures deliveries ${environmentFlag(of)} ${range(of)}`,
    Figures: DeliveryFigures,
    Charts: DeliveryCharts,
  },
  {
    method: BillingService.method.getBillableValue,
    command: (of) => `sss figures value ${range(of)}`,
    Figures: ValueFigure,
    Charts: ValueChart,
  },
];

const Commands = ({ commands }: { readonly commands: readonly string[] }) => (
  <Popover position="bottom-end" trapFocus shadow="md">
    <Popover.Target>
      <Button>Commands</Button>
    </Popover.Target>
    <Popover.Dropdown aria-label="Commands" maw="90vw">
      <Stack gap="xs">
        {commands.map((command) => (
          <TerminalCommand key={command} command={command} />
        ))}
      </Stack>
    </Popover.Dropdown>
  </Popover>
);
