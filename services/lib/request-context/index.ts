import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';

/** What travels with a request through log lines, RPCs and events. */
export interface RequestContext {
  readonly requestId: string;
  /** W3C `traceparent`. */
  readonly traceParent: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work` so that everything it causes carries `context`. */
export function runInContext<Result>(context: RequestContext, work: () => Result): Result {
  return storage.run(context, work);
}

/** The context of the work at hand; undefined outside of any request or event. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/** The next span of the caller's trace, or the first of a new trace when `traceParent` is absent or malformed. */
export function continueTrace(traceParent: string | undefined): string {
  const parts = TRACE_PARENT.exec(traceParent ?? '');
  const trace = parts?.[1] ?? randomHex(16);
  return `00-${trace}-${randomHex(8)}-${parts?.[2] ?? '00'}`;
}

/** Random bytes are had by the page: asking for each id by itself costs more than all the rest of it. */
const page = Buffer.alloc(4_096);
let used = page.length;

function randomHex(bytes: number): string {
  if (used + bytes > page.length) {
    randomFillSync(page);
    used = 0;
  }
  used += bytes;
  return page.toString('hex', used - bytes, used);
}
