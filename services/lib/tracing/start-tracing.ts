import { within } from '../deadlines/index.ts';
import type { ExportReports } from './bounded-export.ts';
import { traceWith } from './spans.ts';
import { readTracingConfig } from './tracing-config.ts';

/** What is left to send when a process stops has this long. */
const FLUSH_MS = 2_000;

/** The process, as far as tracing needs it. */
export interface TracedProcess extends ExportReports {
  readonly name: string;
  onStop(what: string, stop: () => Promise<void>, stage: 'connections'): void;
}

/**
 * Begins to trace if the environment says so; loads nothing of the SDK otherwise. Spans wait in a queue with a bound, and
 * are dropped and counted beyond it: a collector that is slow or away delays nothing. Rejects with a ConfigError for
 * settings that cannot be used.
 */
export async function startTracing(
  process: TracedProcess,
  env: NodeJS.ProcessEnv = globalThis.process.env,
): Promise<void> {
  const config = readTracingConfig(process.name, env);
  if (!config) return;
  const { openTracer } = await import('./sdk.ts');
  const { tracer, close } = openTracer(config, process);
  traceWith({ tracer, followsParent: config.sampling.followsParent });
  process.onStop(
    'trace export',
    () => within(FLUSH_MS, close(), () => undefined).catch(() => {}),
    'connections',
  );
  process.log.info({ url_host: new URL(config.url).host }, 'tracing started');
}
