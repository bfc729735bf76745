import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { currentContext, parseTraceParent, runInContext, type SpanAtHand } from '../request-context/index.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

export type { Attributes } from '@opentelemetry/api';

/** The content of a span. Attributes are ids and numbers: no applicant's data, and no text from a request. */
export interface SpanFacts {
  readonly kind: keyof typeof KINDS;
  readonly attributes?: Attributes;
}

/** How work failed, as its span records it; `isFault: false` if the worker is not at fault. */
export interface SpanFailure {
  readonly attributes: Attributes;
  readonly isFault: boolean;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Whether nothing is recorded for a trace whose parent is not sampled. */
  readonly followsParent: boolean;
}

/** Undefined when this process traces nothing: each call below then costs one comparison. */
let tracing: Tracing | undefined;

export function traceWith(next: Tracing | undefined): void {
  tracing = next;
}

export class OpenSpan implements SpanAtHand {
  /** The `traceparent` for the span's effects. */
  readonly traceParent: string;
  readonly #span: Span;

  constructor(span: Span) {
    this.#span = span;
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceParent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  }

  /** False if the trace is not sampled, so that attributes are not exported. */
  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  set(attributes: Readonly<Attributes>): void {
    this.#span.setAttributes(attributes);
  }

  /** Links a foreign trace. It cannot affect sampling: it is linked after that decision, and as not sampled. */
  linkForeign(traceParent: string): void {
    const context = contextOf(traceParent);
    if (context) this.#span.addLink({ context: { ...context, traceFlags: TraceFlags.NONE } });
  }

  note(name: string, at: Date): void {
    this.#span.addEvent(name, at);
  }

  fail(errorType: string): void {
    this.#span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(failure?: SpanFailure): void {
    if (failure) {
      this.#span.setAttributes(failure.attributes);
      // Without a message: error messages can quote request data.
      if (failure.isFault) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

/**
 * Starts a span in the trace of `parent`, or in a new one. Undefined when this process traces nothing, or that trace is
 * not sampled.
 */
export function openSpan(
  name: string,
  { kind, attributes = {} }: SpanFacts,
  { parent = '', links = [] }: { readonly parent?: string; readonly links?: readonly string[] } = {},
): OpenSpan | undefined {
  if (!tracing) return undefined;
  const from = contextOf(parent);
  if (from && tracing.followsParent && from.traceFlags === TraceFlags.NONE) return undefined;
  const linked = links.flatMap((link) => contextOf(link) ?? []).map((context) => ({ context }));
  const options = { kind: KINDS[kind], attributes, links: linked };
  const context = from ? trace.setSpanContext(ROOT_CONTEXT, from) : ROOT_CONTEXT;
  return new OpenSpan(tracing.tracer.startSpan(name, options, context));
}

/** Returns whether anything is traced, so that callers can skip work that only tracing needs. */
export function isTracing(): boolean {
  return tracing !== undefined;
}

/** Runs `work` in a span of the current trace, or of a new one if there is none. */
export function inSpan<Result>(
  name: string,
  facts: SpanFacts,
  work: () => Promise<Result>,
  failureOf: (error: unknown) => SpanFailure = anyFailure,
): Promise<Result> {
  if (!tracing) return work();
  const context = currentContext();
  const span = openSpan(name, facts, { parent: context?.traceParent ?? '' });
  if (!span) return work();
  const within = { requestId: context?.requestId ?? '', traceParent: span.traceParent, span };
  return runInContext(within, async () => {
    try {
      const result = await work();
      span.end();
      return result;
    } catch (error) {
      span.end(failureOf(error));
      throw error;
    }
  });
}

export function annotate(attributes: Readonly<Record<string, string | number>>): void {
  currentContext()?.span?.set(attributes);
}

/** Marks the current span as failed, although its work resolves. */
export function failSpan(errorType: string): void {
  currentContext()?.span?.fail(errorType);
}

/** Returns a failure described only by its kind. */
export function anyFailure(error: unknown): SpanFailure {
  return { attributes: { 'error.type': error instanceof Error ? error.name : 'unknown' }, isFault: true };
}

function contextOf(traceParent: string): SpanContext | undefined {
  const parsed = traceParent === '' ? undefined : parseTraceParent(traceParent);
  return (
    parsed && {
      traceId: parsed.traceId,
      spanId: parsed.spanId,
      traceFlags: parsed.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
      isRemote: true,
    }
  );
}
