import { AsyncLocalStorage } from 'node:async_hooks';

/** What travels with a request through log lines, RPCs and events. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C `traceparent` of the span at hand, or of the caller's where this process traces nothing; empty without a trace. */
  readonly traceParent: string;
  /** The span at hand, where this process traces. */
  readonly span?: SpanAtHand | undefined;
}

/** A span that whoever works within it can say more about. */
export interface SpanAtHand {
  /** Ids and numbers, never anything of an applicant. */
  set(attributes: Readonly<Record<string, string | number>>): void;
  /** It fails, for a reason of that kind, although what was asked for has ended in an orderly way. */
  fail(errorType: string): void;
}

const storage = new AsyncLocalStorage<RequestContext | undefined>();

/** Runs `work` so that everything it causes carries `context`; none, where it is work for many requests at once. */
export function runInContext<Result>(context: RequestContext | undefined, work: () => Result): Result {
  return storage.run(context, work);
}

/** The same items, each of them made in the context at hand now: a generator otherwise runs in that of whoever pulls. */
export function inThisContext<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const context = currentContext();
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => runInContext(context, () => iterator.next()),
        // Whoever pulls tells by it that nobody reads any more.
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

/** The context of the work at hand; undefined outside of any request or event. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A `traceparent` taken apart. */
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

/** The fields by which a log line is found from a span and the other way round; none without a trace. */
export function traceFields(traceParent: string): { trace_id: string; span_id: string } | undefined {
  const parsed = traceParent === '' ? undefined : parseTraceParent(traceParent);
  return parsed && { trace_id: parsed.traceId, span_id: parsed.spanId };
}
