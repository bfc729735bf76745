import type { FastifyInstance } from 'fastify';
import type { GatewayMetrics, Listener } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's name in the metrics. */
    operation?: string;
  }
}

type Labels = { operation: string; status: number };

/** What is measured under one name: requests that no route takes, and routes that no supplier calls by a name. */
const OTHER = 'other';
const UNAVAILABLE = 503;

/** Shows an operation's answers before there has been one: its successes, and the answer to what fails here. */
export function measureFromZero(
  { requests }: Pick<GatewayMetrics, 'requests'>,
  operation: string,
  statuses: readonly number[],
): void {
  const shown = new Set([...statuses.filter((status) => status < 300), UNAVAILABLE]);
  for (const status of shown) requests.zero({ operation, status });
}

/** Measures every answered request under its operation's name and its status, and counts refusals by their code. */
export function measureRequests(
  app: FastifyInstance,
  { requests, refusals }: Pick<GatewayMetrics, 'requests' | 'refusals'>,
  listener: Listener,
): void {
  // Names come from the table of routes and statuses are few: the labels of each pair are made once.
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
