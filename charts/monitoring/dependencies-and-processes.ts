import type { Dashboard, Panel } from './panels.ts';
import { ofViewed as of } from './selectors.ts';

const RATE = '$__rate_interval';
const RPC = 'sss_rpc_duration_seconds';
const CALLS = 'sss_gateway_call_duration_seconds';

const perPod = (
  title: string,
  description: string,
  unit: Panel['unit'],
  expr: string,
  bad?: number,
): Panel => ({
  title,
  description,
  unit,
  ...(bad === undefined ? {} : { bad }),
  queries: [{ expr, legend: '{{pod}}' }],
});

/** The dependencies of the processes, and the state of the processes. */
export const dependenciesAndProcesses: Dashboard = {
  uid: 'sss-dependencies-and-processes',
  title: 'Supplier submissions: dependencies and processes',
  rows: [
    {
      title: 'Calls between services',
      panels: [
        {
          title: 'RPCs',
          description: 'Per second at their server, by process and code.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (component, code) (rate(${of(`${RPC}_count`)}[${RATE}])) > 0`,
              legend: '{{component}} {{code}}',
            },
          ],
        },
        {
          title: 'RPCs that failed',
          description: 'Per second, by method and code; some codes are answers, such as NotFound.',
          unit: 'reqps',
          queries: [
            {
              expr: `sum by (rpc, code) (rate(${of(`${RPC}_count`, 'code!="OK"')}[${RATE}])) > 0`,
              legend: '{{rpc}} {{code}}',
            },
          ],
        },
        {
          title: 'Slowest RPCs, p99',
          description:
            'The ten slowest methods, without watches, which last as long as their caller watches.',
          unit: 's',
          queries: [
            {
              expr: `topk(10, histogram_quantile(0.99, sum by (le, rpc) (rate(${of(`${RPC}_bucket`, 'rpc!~".+/Watch.*"')}[${RATE}]))))`,
              legend: '{{rpc}}',
            },
          ],
        },
        {
          title: 'Calls from gateways, p99',
          description: 'As the gateways see them: with the network and the queues on the way.',
          unit: 's',
          queries: [
            {
              expr: `histogram_quantile(0.99, sum by (le, rpc) (rate(${of(`${CALLS}_bucket`)}[${RATE}])))`,
              legend: '{{rpc}}',
            },
          ],
        },
        {
          title: 'Calls denied',
          description: 'In five minutes, by reason.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (component, reason) (increase(${of('sss_rpc_denied_total')}[5m])) > 0`,
              legend: '{{component}} {{reason}}',
            },
            {
              expr: `sum by (component) (increase(${of('sss_rpc_withheld_roles_total')}[5m])) > 0`,
              legend: '{{component}} withheld roles',
            },
          ],
        },
      ],
    },
    {
      title: 'Stores',
      panels: [
        {
          title: 'Connections to PostgreSQL in use',
          description: 'Connections in use, as a share of the maximum.',
          unit: 'percentunit',
          bad: 1,
          queries: [
            {
              expr: `max by (component, pool) (${of('sss_database_pool_connections', 'state="busy"')} / ignoring (state) ${of('sss_database_pool_max_connections')})`,
              legend: '{{component}} {{pool}}',
            },
          ],
        },
        {
          title: 'Callers that wait for a connection',
          description: 'By process and pool.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (component, pool) (${of('sss_database_pool_waiting_callers')})`,
              legend: '{{component}} {{pool}}',
            },
          ],
        },
        {
          title: 'Open connections to PostgreSQL',
          description: 'Of the release, against max_connections.',
          unit: 'short',
          queries: [
            { expr: `sum by (component) (${of('sss_database_pool_connections')})`, legend: '{{component}}' },
          ],
        },
        perPod('Connected to NATS', '1 while the connection is up.', 'bool', of('sss_nats_connected')),
        {
          title: 'Limits',
          description: 'Whether gateways count together, and checks that they made alone, per second.',
          unit: 'short',
          queries: [
            { expr: of('sss_gateway_limits_shared'), legend: 'shared {{pod}}' },
            { expr: `rate(${of('sss_gateway_limiter_fallbacks_total')}[${RATE}])`, legend: 'alone {{pod}}' },
          ],
        },
        {
          title: 'Certificates',
          description: 'Time until the one expires that callers are shown.',
          unit: 's',
          queries: [
            {
              expr: `min by (component) (${of('sss_tls_certificate_expiry_timestamp_seconds')}) - time()`,
              legend: '{{component}}',
            },
          ],
        },
        {
          title: 'Audit logs',
          description: 'Since each was last found whole; red: for two days it was not.',
          unit: 's',
          bad: 51 * 3_600,
          queries: [
            {
              expr: `max by (component) (${of('sss_audit_unverified_age_seconds')})`,
              legend: '{{component}}',
            },
            { expr: `max by (component) (${of('sss_audit_broken')}) > 0`, legend: '{{component}} is broken' },
          ],
        },
      ],
    },
    {
      title: 'Gateways',
      panels: [
        perPod(
          'Requests in flight',
          'At most 1,000 for each listener.',
          'short',
          `sum by (pod) (${of('sss_gateway_requests_in_flight')})`,
        ),
        perPod(
          'Open connections',
          'At most 10,000 for each listener.',
          'short',
          `sum by (pod) (${of('sss_gateway_connections')})`,
        ),
        {
          title: 'Refused and closed',
          description: 'Per second: requests beyond the bound, and connections by why they ended.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (listener) (rate(${of('sss_gateway_requests_refused_total')}[${RATE}]))`,
              legend: '{{listener}} request refused',
            },
            {
              expr: `sum by (listener, reason) (rate(${of('sss_gateway_connections_closed_total')}[${RATE}])) > 0`,
              legend: '{{listener}} {{reason}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        perPod('CPU', 'Cores in use.', 'short', `rate(${of('process_cpu_seconds_total')}[${RATE}])`),
        perPod('Memory', 'Resident.', 'bytes', of('process_resident_memory_bytes')),
        perPod('Heap in use', 'Of JavaScript.', 'bytes', of('nodejs_heap_size_used_bytes')),
        perPod(
          'Event loop delay, p99',
          'How late the process turns to its work.',
          's',
          of('nodejs_eventloop_lag_p99_seconds'),
          0.25,
        ),
        perPod(
          'Garbage collection',
          'Part of the time.',
          'percentunit',
          `sum by (pod) (rate(${of('nodejs_gc_duration_seconds_sum')}[${RATE}]))`,
        ),
        perPod('Age', 'Since the process started.', 's', `time() - ${of('process_start_time_seconds')}`),
      ],
    },
  ],
};
