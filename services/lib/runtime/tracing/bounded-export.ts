import { TraceFlags } from '@opentelemetry/api';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log/index.ts';
import { type Registry, sharedCounter } from '../metrics/index.ts';

/** Ended spans not yet sent: about 6 MiB at most. */
const MAX_WAITING = 4_096;
const BATCH = 512;
const EVERY_MS = 1_000;
/** Longer than the exporter's own timeout. */
const EXPORT_MS = 10_000;

/** Where the outcome of exports is reported. */
export interface ExportReports {
  readonly log: Logger;
  readonly metrics: Registry;
}

/** Exports spans in batches, drops those beyond `maxWaiting`, and counts and logs the outcomes. */
export function boundedExport(
  exporter: SpanExporter,
  { log, metrics }: ExportReports,
  maxWaiting = MAX_WAITING,
): SpanProcessor {
  const spans = sharedCounter(metrics, {
    name: 'sss_trace_spans_total',
    help: 'Spans of sampled traces: exported, failed (rejected by the collector), or dropped (queue full).',
    labelNames: ['outcome'] as const,
  });
  for (const outcome of ['exported', 'failed', 'dropped']) spans.inc({ outcome }, 0);
  let waiting = 0;
  let isFailing = false;

  function fail(outcome: 'failed' | 'dropped', count: number, err?: Error): void {
    spans.inc({ outcome }, count);
    if (!isFailing) log.warn({ outcome, err }, 'trace export failed');
    isFailing = true;
  }

  function succeed(count: number): void {
    spans.inc({ outcome: 'exported' }, count);
    if (isFailing) log.info({}, 'trace export resumed');
    isFailing = false;
  }

  const batches = new BatchSpanProcessor({
    exporter: {
      export(batch, done) {
        exporter.export(batch, (result) => {
          waiting -= batch.length;
          if (result.code === 0) succeed(batch.length);
          else fail('failed', batch.length, result.error);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: maxWaiting,
    maxExportBatchSize: Math.min(BATCH, maxWaiting),
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  });

  return {
    onStart() {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting >= maxWaiting) return fail('dropped', 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
