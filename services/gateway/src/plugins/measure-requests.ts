import type { FastifyInstance } from 'fastify';
import type { GatewayMetrics, Listener } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's name in the metrics. */
    operation?: string;
  }
}

type Labels = { operation: string; status: number };

/** Label for requests without a matching route and for routes without an operation name. */
const OTHER = 'other';
const UNAVAILABLE = 503;

/** Starts an operation's series at zero, before the first request: its success statuses and 503. */
export function measureFromZero(
  { requests }: Pick<GatewayMetrics, 'requests'>,
  operation: string,
  statuses: readonly number[],
): void {
  const shown = new Set([...statuses.filter((status) => status < 300), UNAVAILABLE]);
  for (const status of shown) requests.zero({ operation, status });
}

/** Measures every response by operation and status, and counts refusals by code. */
export function measureRequests(
  app: FastifyInstance,
  { requests, refusals }: Pick<GatewayMetrics, 'requests' | 'refusals'>,
  listener: Listener,
): void {
  // Caches label objects: names come from the route table and there are few statuses.
  const known = new Map<string, Map<number, Labels>>();
  const labelsOf = (operation: string, status: number): Labels => {
    const byStatus = known.get(operation) ?? new Map<number, Labels>();
    const labels = byStatus.get(status) ?? { operation, status };
    if (byStatus.size === 0) known.set(operation, byStatus);
    byStatus.set(status, labels);
    return labels;
  };
  app.addHook('onResponse', (request, reply, done) => {
    const { operation = OTHER } = request.routeOptions.config;
    if (request.refusedAs) refusals.inc({ listener, code: request.refusedAs });
    requests.observe(labelsOf(operation, reply.statusCode), reply.elapsedTime / 1_000);
    done();
  });
}
