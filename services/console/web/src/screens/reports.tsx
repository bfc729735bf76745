import { NativeSelect, TextInput } from '@mantine/core';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { getRouteApi } from '@tanstack/react-router';
import { mayCall } from '../calls.ts';
import { PageHeader } from '../components/page-header.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';
import { enumFlag, enumName } from '../format.ts';
import { BillableValuePanel } from '../parts/billable-value.tsx';
import { useSession } from '../session.ts';
import { DeliveryFiguresPanel } from './reports/delivery-figures.tsx';
import { IntakePanel } from './reports/intake.tsx';
import { type ReportsSearch, reportsSearch, SPANS } from './reports-search.ts';

const DAY_MS = 86_400_000;
const route = getRouteApi('/reports');

/** Shows volumes, outcomes and durations, as far as the person's roles allow. */
export function ReportsScreen() {
  const { environment = Environment.PRODUCTION, days = 30, account } = route.useSearch();
  const navigate = route.useNavigate();
  const { roles } = useSession();
  const of = {
    environment,
    fromDay: dayAt(Date.now() - (days - 1) * DAY_MS),
    untilDay: dayAt(Date.now()),
    ...(account ? { accountId: account } : {}),
  };
  const change = (part: Partial<Record<keyof ReportsSearch, unknown>>) =>
    void navigate({ search: (before: ReportsSearch) => reportsSearch({ ...before, ...part }) });
  const range = `--from-day ${of.fromDay} --until-day ${of.untilDay}${account ? ` --account-id ${account}` : ''}`;
  const inEnvironment = `--environment ${enumFlag(EnvironmentSchema, environment)} ${range}`;
  const parts = [
    {
      method: SubmissionService.method.getIntake,
      command: `sss figures intake ${inEnvironment}`,
      part: <IntakePanel key="intake" of={of} />,
    },
    {
      method: WebhookService.method.getDeliveryFigures,
      command: `sss figures deliveries ${inEnvironment}`,
      part: <DeliveryFiguresPanel key="deliveries" of={of} />,
    },
    {
      method: BillingService.method.getBillableValue,
      command: `sss figures value ${range}${days === 90 ? ' --by-month' : ''}`,
      part: <BillableValuePanel key="value" of={of} byMonth={days === 90} />,
    },
  ].filter(({ method }) => mayCall(roles, method));
  return (
    <>
      <PageHeader title="Reports">
        <EnvironmentBadge environment={environment} />
      </PageHeader>
      <div className="filters">
        <NativeSelect
          size="xs"
          label="environment"
          value={environment}
          onChange={(event) => change({ environment: event.target.value })}
        >
          {[Environment.PRODUCTION, Environment.SANDBOX].map((one) => (
            <option key={one} value={one}>
              {enumName(EnvironmentSchema, one)}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          size="xs"
          label="the last"
          value={days}
          onChange={(event) => change({ days: event.target.value })}
        >
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {span} days
            </option>
          ))}
        </NativeSelect>
        <TextInput
          size="xs"
          label="account"
          key={account ?? ''}
          defaultValue={account ?? ''}
          placeholder="every account"
          maxLength={36}
          onBlur={(event) => change({ account: event.target.value.trim() })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') change({ account: event.currentTarget.value.trim() });
          }}
        />
      </div>
      <p>Submissions and their outcomes count on the day of receipt, in UTC. Times are accurate to 10 %.</p>
      {parts.length === 0 ? <p>Your role has no reports.</p> : parts.map(({ part }) => part)}
      {parts.length === 0 ? null : (
        <section>
          <h2>The same in a terminal</h2>
          <ul>
            {parts.map(({ command }) => (
              <li key={command}>
                <code className="command">{command}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
