import type { Dashboard, Panel } from './panels.ts';
import { ofViewed as of } from './selectors.ts';
import { RATIO } from './slo-rules.ts';
import { BUDGET_DAYS, SLOS } from './slos.ts';

const REQUESTS = 'sss_gateway_request_duration_seconds';
const RATE = '$__rate_interval';

const objectives: Panel[] = SLOS.map(({ name, summary, objective }) => ({
  title: `Budget spent in 3 days: ${name.replaceAll('_', ' ')}`,
  description: `${summary}? 1 is the part of the budget of ${BUDGET_DAYS} days that three days may spend. The objective is ${objective * 100} %.`,
  unit: 'short',
  kind: 'stat',
  bad: 1,
  queries: [
    {
      expr: `${of(RATIO('3d'), `slo="${name}"`)} / ${Number((1 - objective).toPrecision(6))}`,
      legend: '{{component}}',
    },
  ],
}));

const quantile = (quantile: number, metric: string, by: string, ...matchers: string[]) =>
  `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${of(`${metric}_bucket`, ...matchers)}[${RATE}])))`;

/** Supplier traffic, and whether suppliers get the promised service. */
export const overview: Dashboard = {
  uid: 'sss-overview',
  title: 'Supplier submissions: overview',
  rows: [
    {
      title: 'Objectives',
      panels: [
        ...objectives,
        {
          title: 'How fast budgets burn',
          description: 'Over the last hour. 1 spends the budget in 30 days; 14.4 pages someone.',
          unit: 'short',
          bad: 14.4,
          queries: SLOS.map(({ name, objective }) => ({
            expr: `${of(RATIO('1h'), `slo="${name}"`)} / ${Number((1 - objective).toPrecision(6))}`,
            legend: `${name} {{component}}`,
          })),
        },
        {
          title: 'Versions',
          description: 'Processes by the revision that they were built from.',
          unit: 'short',
          queries: [
            {
              expr: `count by (version, revision) (${of('sss_build_info')})`,
              legend: '{{version}} {{revision}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Requests of suppliers',
      panels: [
        {
          title: 'Requests',
          description: 'Per second, by operation.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (component, operation) (rate(${of(`${REQUESTS}_count`)}[${RATE}]))`,
              legend: '{{component}} {{operation}}',
            },
          ],
        },
        {
          title: 'Error rate',
          description: 'Per second, by status: 5.. is ours, 429 a limit, other 4.. the supplier’s.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (component, status) (rate(${of(`${REQUESTS}_count`, 'status!~"2.."')}[${RATE}]))`,
              legend: '{{component}} {{status}}',
            },
          ],
        },
        {
          title: 'Duration, p99',
          description: 'p99 of the duration of requests.',
          unit: 's',
          queries: [
            { expr: quantile(0.99, REQUESTS, 'operation', 'operation!="other"'), legend: '{{operation}}' },
          ],
        },
        {
          title: 'Duration, p50',
          description: 'p50 of the duration of requests.',
          unit: 's',
          queries: [
            { expr: quantile(0.5, REQUESTS, 'operation', 'operation!="other"'), legend: '{{operation}}' },
          ],
        },
        {
          title: 'Refused, by code',
          description: 'Per second, by error code.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (listener, code) (rate(${of('sss_gateway_refusals_total')}[${RATE}])) > 0`,
              legend: '{{listener}} {{code}}',
            },
          ],
        },
        {
          title: 'Limits and failed authentications',
          description: 'Per second.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (limit) (rate(${of('sss_gateway_limited_requests_total')}[${RATE}]))`,
              legend: 'limit: {{limit}}',
            },
            {
              expr: `sum by (reason) (rate(${of('sss_gateway_failed_authentications_total')}[${RATE}]))`,
              legend: 'credential: {{reason}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Submissions',
      panels: [
        {
          title: 'New submissions',
          description: 'Per second; a repeated create is none.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (environment, level) (rate(${of('sss_submissions_received_total')}[${RATE}]))`,
              legend: '{{environment}} {{level}}',
            },
          ],
        },
        {
          title: 'Decisions',
          description: 'Per second, by what was decided and by whom.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (environment, decision, decided_by) (rate(${of('sss_decisions_total')}[${RATE}]))`,
              legend: '{{environment}} {{decision}} by {{decided_by}}',
            },
          ],
        },
        {
          title: 'Receipt to decision',
          description: 'p50 and p99 of the time from receipt to a decision by policy.',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'sss_received_to_decided_seconds', 'level'), legend: '{{level}}, p50' },
            {
              expr: quantile(0.99, 'sss_received_to_decided_seconds', 'level'),
              legend: '{{level}}, p99',
            },
          ],
        },
        {
          title: 'Change to first webhook attempt',
          description: 'p50 and p99 of the time from a change to its first delivery attempt.',
          unit: 's',
          bad: 10,
          queries: [
            {
              expr: quantile(0.5, 'sss_webhook_change_to_first_attempt_seconds', 'component'),
              legend: 'p50',
            },
            {
              expr: quantile(0.99, 'sss_webhook_change_to_first_attempt_seconds', 'component'),
              legend: 'p99',
            },
          ],
        },
        {
          title: 'Change to delivery',
          description: 'p50 and p99 of the time from a change to its delivery.',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'sss_webhook_change_to_delivery_seconds', 'component'), legend: 'p50' },
            {
              expr: quantile(0.99, 'sss_webhook_change_to_delivery_seconds', 'component'),
              legend: 'p99',
            },
          ],
        },
        {
          title: 'Webhook attempts',
          description: 'Per second, by outcome.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (outcome) (rate(${of('sss_webhook_attempts_total')}[${RATE}]))`,
              legend: '{{outcome}}',
            },
          ],
        },
      ],
    },
  ],
};
