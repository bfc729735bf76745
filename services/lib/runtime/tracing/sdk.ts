import { randomUUID } from 'node:crypto';
import { type Link, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { boundedExport, type ExportReports } from './bounded-export.ts';
import type { Sampling, TracingConfig } from './tracing-config.ts';

/** Timeout of one request to the collector, including retries. */
const EXPORT_MS = 5_000;
const MAX_ATTRIBUTE_CHARACTERS = 256;

/** Opens the one tracer of a process. Loaded only if traces are exported. */
export function openTracer(
  { serviceName, url, sampling }: TracingConfig,
  reports: ExportReports,
): { readonly tracer: Tracer; close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS });
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
