import { setTimeout as pause } from 'node:timers/promises';
import { type Api, ApiError } from '../api/api.ts';
import type { Pod, PodStatus } from '../api/objects.ts';

const RETRY_MS = 500;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** Tells the API server what a pod is like. Changes that come together are reported at once. */
export interface StatusReporter {
  changed(): void;
  /** Resolves once the last change was reported, or there is no such pod any more. */
  settled(): Promise<void>;
}

export function statusReporter(
  api: Api,
  { metadata }: Pod,
  now: () => PodStatus,
  signal: AbortSignal,
): StatusReporter {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
  let due = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (due && !signal.aborted) {
      // Whatever else changes in this turn is in it.
      await Promise.resolve();
      due = false;
      try {
        // With another uid it is another pod of the same name.
        const status = { ...now() };
        // What a condition no longer says would otherwise stay.
        const conditions = status.conditions?.map((each) => ({ reason: null, message: null, ...each }));
        const body = { metadata: { uid: metadata.uid }, status: { ...status, conditions } };
        await api.patch(path, body, 'strategic-merge');
      } catch (error) {
        if (error instanceof ApiError && [NOT_FOUND, CONFLICT].includes(error.status)) return;
        due = true;
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  function changed(): void {
    due = true;
    running ??= run().finally(() => {
      running = undefined;
      if (due && !signal.aborted) changed();
    });
  }

  return {
    changed,
    async settled() {
      while (running) await running;
    },
  };
}
