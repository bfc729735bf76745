import { continueTrace, currentContext, runInContext } from './index.ts';

describe('request context', () => {
  it('follows asynchronous work and ends with it', async () => {
    const context = { requestId: 'r', traceParent: continueTrace(undefined) };
    await runInContext(context, async () => {
      await Promise.resolve();
      expect(currentContext()).toBe(context);
    });
    expect(currentContext()).toBeUndefined();
  });

  it('keeps the trace and changes the span', () => {
    const first = continueTrace(undefined);
    const next = continueTrace(first);
    expect(next).not.toBe(first);
    expect(next.slice(0, 35)).toBe(first.slice(0, 35));
  });

  it('never gives an id twice, however many are drawn', () => {
    const ids = new Set(Array.from({ length: 3_000 }, () => continueTrace(undefined).slice(3, 52)));
    expect(ids.size).toBe(3_000);
  });

  it.each([
    '',
    'x',
    `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
    `01-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
  ])('starts a new trace for %j', (bad) => {
    expect(continueTrace(bad)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});
