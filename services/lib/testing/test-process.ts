import { createLogger } from '../log/index.ts';
import { Registry } from '../metrics/index.ts';
import type { ServiceProcess } from '../service-runtime/index.ts';

/** A service process that lives inside a test. */
export interface TestProcess extends ServiceProcess {
  /** What it logged, as parsed lines. */
  readonly lines: Record<string, unknown>[];
  /** Runs the stop hooks in reverse, as a signal would. */
  stop(): Promise<void>;
}

export function startTestProcess(name: string): TestProcess {
  const stopping = new AbortController();
  const hooks: (() => Promise<void> | void)[] = [];
  const lines: Record<string, unknown>[] = [];
  return {
    name,
    log: createLogger(name, 'debug', { write: (line) => lines.push(JSON.parse(line)) }),
    lines,
    metrics: new Registry(),
    stopping: stopping.signal,
    onStop: (_what, hook) => hooks.push(hook),
    async stop() {
      stopping.abort();
      for (const hook of hooks.reverse()) await hook();
    },
  };
}
