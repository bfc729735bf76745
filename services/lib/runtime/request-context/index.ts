import { AsyncLocalStorage } from 'node:async_hooks';

/** Travels with a request through log lines, RPCs and events. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C `traceparent` of the current span, or of the caller's; empty without a trace. */
  readonly traceParent: string;
  readonly span?: SpanAtHand | undefined;
}

/** A span to which the code inside it can add attributes. */
export interface SpanAtHand {
  /** Ids and numbers, never an applicant's data. */
  set(attributes: Readonly<Record<string, string | number>>): void;
  /** Marks the span as failed with this kind of error, although its work resolves. */
  fail(errorType: string): void;
}

const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs `work` so that everything it causes carries `context`; undefined for work on several requests. */
export function runInContext<Result>(context: RequestContext | undefined, work: () => Result): Result {
  return storage.run(context, work);
}

/** Produces each item in the current context: otherwise a generator runs in the context of its consumer. */
export function inThisContext<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const context = currentContext();
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => runInContext(context, () => iterator.next()),
        // The consumer calls this when its reader is gone.
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

/** Returns the context of the current work; undefined outside any request or event. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a `traceparent` of version 00; undefined for anything else. */
export function parseTraceParent(text: string) {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the text if it is a `traceparent`, otherwise an empty one. */
export function readTraceParent(text: string): string {
  return text !== '' && TRACE_PARENT.test(text) ? text : '';
}

/** Returns the fields that link a log line to its span; undefined without a trace. */
export function traceFields(traceParent: string): { trace_id: string; span_id: string } | undefined {
  const parsed = traceParent === '' ? undefined : parseTraceParent(traceParent);
  return parsed && { trace_id: parsed.traceId, span_id: parsed.spanId };
}
