import { setTimeout as delay } from 'node:timers/promises';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@supplier/proto/grpc/health';
import { reading } from '../../runtime/metrics/index.ts';

/** Maximum delay before a watcher learns of a change. */
const WATCH_EVERY_MS = 1_000;
/** Longer than a readiness check may take, so that a slow one isn't reported as not serving. */
const READY_WITHIN_MS = 2_000;
/** Bounded because watching needs no token. */
const MAX_WATCHERS = 100;

/** Serves grpc.health.v1. Watchers get each change within a second; at most 100 may watch. */
export function serveHealth(
  router: ConnectRouter,
  {
    names,
    ready,
    stopping,
  }: { names: readonly string[]; ready: () => Promise<boolean>; stopping: AbortSignal },
): void {
  const known = new Set(['', ...names]);
  const statusNow = async () => ((await ready()) ? Serving.SERVING : Serving.NOT_SERVING);
  const sharedStatus = reading(statusNow, { everyMs: WATCH_EVERY_MS / 2, withinMs: READY_WITHIN_MS });
  const watchedStatus = async () =>
    (stopping.aborted ? undefined : await sharedStatus()) ?? Serving.NOT_SERVING;
  let watchers = 0;

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
      if (watchers >= MAX_WATCHERS) throw new ConnectError('too many watchers', Code.ResourceExhausted);
      watchers += 1;
      const over = AbortSignal.any([signal, stopping]);
      try {
        let told: Serving | undefined;
        while (!signal.aborted) {
          // An unknown name stays unknown until another version of the process runs.
          const status = known.has(service) ? await watchedStatus() : Serving.SERVICE_UNKNOWN;
          if (status !== told) yield { status };
          told = status;
          if (stopping.aborted) return;
          await delay(WATCH_EVERY_MS, undefined, { signal: over }).catch(() => {});
        }
      } finally {
        watchers -= 1;
      }
      // Writing to a disconnected client fails, and the library prints each such failure.
      await new Promise(() => {});
    },
  });
}
