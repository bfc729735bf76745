import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@supplier/proto/grpc/health';

/** Serves grpc.health.v1: the process as a whole (empty name) and each of its services by name. */
export function serveHealth(
  router: ConnectRouter,
  names: readonly string[],
  ready: () => Promise<boolean>,
): void {
  const known = new Set(['', ...names]);
  const statusNow = async () => ((await ready()) ? Serving.SERVING : Serving.NOT_SERVING);
  router.service(Health, {
    async check({ service }) {
      if (!known.has(service)) throw new ConnectError('no such service', Code.NotFound);
      return { status: await statusNow() };
    },
    async list() {
      const status = await statusNow();
      return { statuses: Object.fromEntries([...known].map((name) => [name, { status }])) };
    },
    async *watch({ service }, { signal }) {
      yield { status: known.has(service) ? await statusNow() : Serving.SERVICE_UNKNOWN };
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  });
}
