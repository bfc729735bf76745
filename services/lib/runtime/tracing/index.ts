import { within } from '../deadlines/index.ts';
import type { ExportReports } from './sdk.ts';
import { traceWith } from './spans.ts';
import { readTracingConfig } from './tracing-config.ts';

export { inRpcSpan } from './rpc-span.ts';
export { type OpenSet, openSet, type SetMember } from './set-spans.ts';
export { annotate, failSpan, inSpan, OpenSpan, openSpan, type SpanFailure } from './spans.ts';

/** Time for sending the remaining spans when a process stops. */
const FLUSH_MS = 2_000;

/** The parts of a process that tracing needs. */
interface TracedProcess extends ExportReports {
  readonly name: string;
  onStop(what: string, stop: () => Promise<void>, stage: 'connections'): void;
}

/**
 * Starts tracing if the environment says so; otherwise the SDK is not even loaded. Spans beyond a bounded queue are
 * dropped and counted. Rejects with a ConfigError for invalid settings.
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
