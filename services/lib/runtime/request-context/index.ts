import { AsyncLocalStorage } from 'node:async_hooks';

/** What travels with a request through log lines, RPCs and events. */
export interface RequestContext {
  readonly requestId: string;
  /**
   * W3C `traceparent` of the current span, or of the caller's where this process traces nothing; empty without a trace.
   */
  readonly traceParent: string;
  /** The current span, where this process traces. */
  readonly span?: SpanAtHand | undefined;
}

/** A span to which the code that runs in it can add facts. */
export interface SpanAtHand {
  /** Ids and numbers, never an applicant's data. */
  set(attributes: Readonly<Record<string, string | number>>): void;
  /** Marks the span as failed with this kind of error, although its work resolves. */
  fail(errorType: string): void;
}

const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs `work` so that everything it causes carries `context`; undefined for work on many requests at once. */
export function runInContext<Result>(context: RequestContext | undefined, work: () => Result): Result {
  return storage.run(context, work);
}

/** The same items, each made in the present context: otherwise a generator runs in the context of its consumer. */
export function inThisContext<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const context = currentContext();
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => runInContext(context, () => iterator.next()),
        // The consumer calls this when nobody reads any more.
        async throw(error: unknown) {
          if (!iterator.throw) throw error;
          return runInContext(context, () => iterator.throw?.(error)) ?? { done: true, value: undefined };
        },
        async return() {
          await runInContext(context, () => iterator.return?.());
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** The context of the current work; undefined outside of any request or event. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A parsed `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Reads a `traceparent` of version 00; undefined for anything else. */
export function parseTraceParent(text: string): TraceParent | undefined {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The same text where it is a `traceparent`, else the empty one. */
export function readTraceParent(text: string): string {
  return text !== '' && TRACE_PARENT.test(text) ? text : '';
}

/** The fields that link a log line with its span; undefined without a trace. */
export function traceFields(traceParent: string): { trace_id: string; span_id: string } | undefined {
  const parsed = traceParent === '' ? undefined : parseTraceParent(traceParent);
  return parsed && { trace_id: parsed.traceId, span_id: parsed.spanId };
}
