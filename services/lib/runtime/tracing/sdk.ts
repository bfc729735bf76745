import { randomUUID } from 'node:crypto';
import { type Link, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../log/index.ts';
import { type Registry, sharedCounter } from '../metrics/index.ts';
import type { Sampling, TracingConfig } from './tracing-config.ts';

/** Timeout of one request to the collector, including retries. */
const REQUEST_MS = 5_000;
const MAX_ATTRIBUTE_CHARACTERS = 256;

/** Opens the one tracer of a process. Loaded only if traces are exported. */
export function openTracer(
  { serviceName, url, sampling }: TracingConfig,
  reports: ExportReports,
): { readonly tracer: Tracer; close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: REQUEST_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'supplier-submissions',
      'service.instance.id': randomUUID(),
    })
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(resourceFromAttributes({ 'service.name': serviceName })),
    sampler: samplerOf(sampling),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
    spanProcessors: [boundedExport(exporter, reports)],
  });
  return { tracer: provider.getTracer('supplier-submissions'), close: () => provider.shutdown() };
}

function samplerOf({ ratio, followsParent }: Sampling): Sampler {
  const root = sampledWithALink(new TraceIdRatioBasedSampler(ratio));
  return followsParent ? new ParentBasedSampler({ root }) : root;
}

/** Samples the span of a set, which belongs to no member's trace, exactly when one of its members is sampled. */
function sampledWithALink(sampler: Sampler): Sampler {
  const isSampled = ({ context }: Link) => (context.traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const isOfASet = links.length > 0 && trace.getSpanContext(context) === undefined;
      if (!isOfASet) return sampler.shouldSample(context, traceId, name, kind, attributes, links);
      const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision;
      return { decision: links.some(isSampled) ? RECORD_AND_SAMPLED : NOT_RECORD };
    },
    toString: () => `SampledWithALink{${sampler.toString()}}`,
  };
}

/** Ended spans not yet sent: about 6 MiB at most. */
const MAX_WAITING = 4_096;
const BATCH = 512;
const EVERY_MS = 1_000;
/** Longer than REQUEST_MS. */
const EXPORT_MS = 10_000;

export interface ExportReports {
  readonly log: Logger;
  readonly metrics: Registry;
}

/** Exports spans in batches, drops those beyond 4,096, and counts and logs the outcomes. */
function boundedExport(exporter: SpanExporter, { log, metrics }: ExportReports): SpanProcessor {
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
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  });

  return {
    onStart() {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting >= MAX_WAITING) return fail('dropped', 1);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
