import { CALL_SECONDS, Counter, Gauge, Histogram, type Registry } from '@supplier/lib/runtime/metrics';
import { ERROR_TABLE } from './errors/error-table.ts';

/** Reasons for a failed authentication, for the metrics. The sender learns only what the header itself shows. */
export const FAILURE_REASONS = [
  'absent',
  'malformed',
  'other environment',
  'unknown',
  'wrong secret',
  'revoked',
  'expired',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

const LISTENERS = ['api', 'pages'] as const;
export type Listener = (typeof LISTENERS)[number];

/** Why the gateway closed or rejected a connection. */
const CLOSING_REASONS = [
  'listener full',
  'too many connections from address',
  'unreadable',
  'too slow',
  'unread body',
  'rate limited',
] as const;
export type ClosingReason = (typeof CLOSING_REASONS)[number];

const LIMIT_NAMES = ['address', 'failure', 'read', 'write'] as const;

/** Metrics of the gateway. Labels are names of operations, codes and statuses, never of suppliers. */
export interface GatewayMetrics {
  readonly requests: Histogram<'operation' | 'status'>;
  readonly requestsInFlight: Gauge<'listener'>;
  readonly requestsRefused: Counter<'listener'>;
  readonly refusals: Counter<'listener' | 'code'>;
  readonly limitedRequests: Counter<'limit'>;
  readonly failedAuthentications: Counter<'reason'>;
  readonly connections: Gauge<'listener'>;
  readonly connectionsClosed: Counter<'listener' | 'reason'>;
  readonly limiterFallbacks: Counter;
  readonly limitsShared: Gauge;
  readonly calls: Histogram<'rpc' | 'code'>;
}

/** Registers the gateway's metrics; call it once per registry. */
export function gatewayMetrics(registry: Registry): GatewayMetrics {
  const metrics = register(registry);
  initializeToZero(metrics);
  return metrics;
}

/** Starts every counter at zero: a counter that appears with its first event shows no increase to alert on. */
function initializeToZero(metrics: GatewayMetrics): void {
  for (const listener of LISTENERS) {
    metrics.requestsInFlight.set({ listener }, 0);
    metrics.connections.set({ listener }, 0);
    metrics.requestsRefused.inc({ listener }, 0);
    for (const code of Object.keys(ERROR_TABLE)) metrics.refusals.inc({ listener, code }, 0);
    for (const reason of CLOSING_REASONS) metrics.connectionsClosed.inc({ listener, reason }, 0);
  }
  for (const limit of LIMIT_NAMES) metrics.limitedRequests.inc({ limit }, 0);
  for (const reason of FAILURE_REASONS) metrics.failedAuthentications.inc({ reason }, 0);
}

function register(registry: Registry): GatewayMetrics {
  const registers = [registry];
  return {
    requests: new Histogram({
      name: 'sss_gateway_request_duration_seconds',
      help: 'Time from the head of a request to its response, by operation and status.',
      labelNames: ['operation', 'status'],
      buckets: CALL_SECONDS,
      registers,
    }),
    requestsInFlight: new Gauge({
      name: 'sss_gateway_requests_in_flight',
      help: 'Requests in progress.',
      labelNames: ['listener'],
      registers,
    }),
    requestsRefused: new Counter({
      name: 'sss_gateway_requests_refused_total',
      help: 'Requests refused with 503 because too many were in progress.',
      labelNames: ['listener'],
      registers,
    }),
    refusals: new Counter({
      name: 'sss_gateway_refusals_total',
      help: 'Refused requests, by error code.',
      labelNames: ['listener', 'code'],
      registers,
    }),
    limitedRequests: new Counter({
      name: 'sss_gateway_limited_requests_total',
      help: 'Requests over a limit: of an address, of its failed authentications, or of a credential.',
      labelNames: ['limit'],
      registers,
    }),
    failedAuthentications: new Counter({
      name: 'sss_gateway_failed_authentications_total',
      help: 'Requests without a valid credential, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    connections: new Gauge({
      name: 'sss_gateway_connections',
      help: 'Open connections.',
      labelNames: ['listener'],
      registers,
    }),
    connectionsClosed: new Counter({
      name: 'sss_gateway_connections_closed_total',
      help: 'Connections refused or closed by the gateway, by reason.',
      labelNames: ['listener', 'reason'],
      registers,
    }),
    limiterFallbacks: new Counter({
      name: 'sss_gateway_limiter_fallbacks_total',
      help: 'Limit checks made by this process only, although a shared store is configured.',
      registers,
    }),
    limitsShared: new Gauge({
      name: 'sss_gateway_limits_shared',
      help: '1 while the shared store counts requests, 0 while only this process counts.',
      registers,
    }),
    calls: new Histogram({
      name: 'sss_gateway_call_duration_seconds',
      help: 'Duration of calls to services, by method and Connect code.',
      labelNames: ['rpc', 'code'],
      buckets: CALL_SECONDS,
      registers,
    }),
  };
}
