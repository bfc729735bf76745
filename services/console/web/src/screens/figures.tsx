import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { getRouteApi } from '@tanstack/react-router';
import { mayCall } from '../calls.ts';
import { BillableValuePart } from '../parts/billable-value.tsx';
import { DeliveryFiguresPart } from '../parts/delivery-figures.tsx';
import { IntakePart } from '../parts/intake.tsx';
import { EnvironmentMark } from '../parts/marks.tsx';
import { useSession } from '../session.ts';
import { flagOf, wordOf } from '../words.ts';
import { type FiguresSearch, figuresSearch, SPANS } from './figures-search.ts';

const DAY_MS = 86_400_000;
const route = getRouteApi('/figures');

/** Shows volumes, outcomes and durations, as far as the person's roles allow. */
export function FiguresScreen() {
  const { environment = Environment.PRODUCTION, days = 30, account } = route.useSearch();
  const navigate = route.useNavigate();
  const { roles } = useSession();
  const of = {
    environment,
    fromDay: dayAt(Date.now() - (days - 1) * DAY_MS),
    untilDay: dayAt(Date.now()),
    ...(account ? { accountId: account } : {}),
  };
  const change = (part: Partial<Record<keyof FiguresSearch, unknown>>) =>
    void navigate({ search: (before: FiguresSearch) => figuresSearch({ ...before, ...part }) });
  const range = `--from-day ${of.fromDay} --until-day ${of.untilDay}${account ? ` --account-id ${account}` : ''}`;
  const inEnvironment = `--environment ${flagOf(EnvironmentSchema, environment)} ${range}`;
  const parts = [
    {
      method: SubmissionService.method.getIntake,
      command: `sss figures intake ${inEnvironment}`,
      part: <IntakePart key="intake" of={of} />,
    },
    {
      method: WebhookService.method.getDeliveryFigures,
      command: `sss figures deliveries ${inEnvironment}`,
      part: <DeliveryFiguresPart key="deliveries" of={of} />,
    },
    {
      method: BillingService.method.getBillableValue,
      command: `sss figures value ${range}${days === 90 ? ' --by-month' : ''}`,
      part: <BillableValuePart key="value" of={of} byMonth={days === 90} />,
    },
  ].filter(({ method }) => mayCall(roles, method));
  return (
    <>
      <h1>
        Figures <EnvironmentMark environment={environment} />
      </h1>
      <div className="filters">
        <label>
          environment
          <select value={environment} onChange={(event) => change({ environment: event.target.value })}>
            {[Environment.PRODUCTION, Environment.SANDBOX].map((one) => (
              <option key={one} value={one}>
                {wordOf(EnvironmentSchema, one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          the last
          <select value={days} onChange={(event) => change({ days: event.target.value })}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
        <label>
          account
          <input
            key={account ?? ''}
            defaultValue={account ?? ''}
            placeholder="every account"
            maxLength={36}
            onBlur={(event) => change({ account: event.target.value.trim() })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') change({ account: event.currentTarget.value.trim() });
            }}
          />
        </label>
      </div>
      <p>
        Days are those of receipt, in UTC; what became of a submission later counts on the day it came. Times
        are exact to a tenth.
      </p>
      {parts.length === 0 ? <p>None of these figures is for your role.</p> : parts.map(({ part }) => part)}
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
