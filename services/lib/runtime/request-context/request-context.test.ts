import {
  currentContext,
  inThisContext,
  parseTraceParent,
  readTraceParent,
  runInContext,
  traceFields,
} from './index.ts';

const TRACE = '1'.repeat(32);
const SPAN = '2'.repeat(16);
const MALFORMED = [
  '',
  'x',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
  `01-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
  `00-${TRACE.replace('1', 'A')}-${SPAN}-01`,
];

describe('request context', () => {
  it('follows asynchronous work and ends with it', async () => {
    const context = { requestId: 'r', traceParent: '' };
    await runInContext(context, async () => {
      await Promise.resolve();
      expect(currentContext()).toBe(context);
    });
    expect(currentContext()).toBeUndefined();
  });

  it('is cleared for work on several requests', () => {
    runInContext({ requestId: 'r', traceParent: '' }, () => {
      expect(runInContext(undefined, currentContext)).toBeUndefined();
      expect(currentContext()?.requestId).toBe('r');
    });
  });
});

it('a wrapped iterable produces its items in the context in which it was wrapped', async () => {
  async function* twice() {
    yield currentContext()?.requestId;
    await Promise.resolve();
    yield currentContext()?.requestId;
  }
  const items = runInContext({ requestId: 'r', traceParent: '' }, () => inThisContext(twice()));
  const seen = [];
  for await (const item of items) seen.push(item);
  expect(seen).toEqual(['r', 'r']);
  expect(currentContext()).toBeUndefined();
});

describe('an abandoned iterator', () => {
  const ends: string[] = [];
  async function* made() {
    try {
      yield 1;
      yield 2;
    } catch (error) {
      ends.push(`failed: ${error}`);
      throw error;
    } finally {
      ends.push(`ended in ${currentContext()?.requestId}`);
    }
  }
  const arranged = () =>
    runInContext({ requestId: 'r', traceParent: '' }, () => inThisContext(made()))[Symbol.asyncIterator]();
  beforeEach(() => {
    ends.length = 0;
  });

  it('ends its generator in the same context', async () => {
    const iterator = arranged();
    await iterator.next();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(ends).toEqual(['ended in r']);
  });

  it('passes the error to its generator, which need not catch it', async () => {
    const iterator = arranged();
    await iterator.next();
    await expect(iterator.throw?.(new Error('reader gone'))).rejects.toThrow('reader gone');
    expect(ends).toEqual(['failed: Error: reader gone', 'ended in r']);
  });
});

describe('traceparent', () => {
  it('is passed on unchanged, and parsed into trace, span and sampling', () => {
    const sampled = `00-${TRACE}-${SPAN}-01`;
    expect(readTraceParent(sampled)).toBe(sampled);
    expect(parseTraceParent(sampled)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-02`)?.isSampled).toBe(false);
    expect(traceFields(sampled)).toEqual({ trace_id: TRACE, span_id: SPAN });
  });

  it.each(MALFORMED)('is ignored when malformed: %j', (bad) => {
    expect(readTraceParent(bad)).toBe('');
    expect(parseTraceParent(bad)).toBeUndefined();
    expect(traceFields(bad)).toBeUndefined();
  });
});
