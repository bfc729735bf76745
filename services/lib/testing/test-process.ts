import { createLogger } from '../runtime/log/index.ts';
import { Registry } from '../runtime/metrics/index.ts';
import { type ServiceProcess, StopStages } from '../runtime/service-runtime/index.ts';

/** A service process inside a test. */
export interface TestProcess extends ServiceProcess {
  /** Its log, as parsed lines. */
  readonly lines: Record<string, unknown>[];
  /** The errors passed to `fail`, in order. */
  readonly failures: Error[];
  /** Stops its parts, as a signal would. */
  stop(): Promise<void>;
}

export function startTestProcess(name: string): TestProcess {
  const stopping = new AbortController();
  const stages = new StopStages();
  const lines: Record<string, unknown>[] = [];
  const failures: Error[] = [];
  const log = createLogger(name, 'debug', { write: (line) => lines.push(JSON.parse(line)) });
  return {
    name,
    log,
    lines,
    failures,
    fail: (error) => void failures.push(error),
    metrics: new Registry(),
    stopping: stopping.signal,
    onStop: (what, stop, stage) => stages.add(what, stop, stage),
    async stop() {
      stopping.abort();
      await stages.stop(log);
    },
  };
}
