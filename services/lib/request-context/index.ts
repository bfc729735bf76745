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

/** A call of the generator costs more than its bytes: they are drawn for many ids at once. */
const pool = Buffer.alloc(4_096);
let drawn = pool.length;

function randomHex(bytes: number): string {
  if (drawn + bytes > pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += bytes;
  return pool.toString('hex', drawn - bytes, drawn);
}
