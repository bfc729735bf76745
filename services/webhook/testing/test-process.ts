import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { testLog } from './test-log.ts';

/** A process that ends when the test says so; its log lines are kept. */
export function testProcess() {
  const hooks: (() => Promise<void> | void)[] = [];
  const stopping = new AbortController();
  const { log, lines } = testLog();
  const process: ServiceProcess = {
    name: 'webhook',
    log,
    stopping: stopping.signal,
    onStop: (_what, stop) => hooks.push(stop),
  };
  return {
    process,
    lines,
    async stop(): Promise<void> {
      stopping.abort();
      for (const hook of hooks.splice(0).reverse()) await hook();
    },
  };
}
