import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { PolicyChecks } from './policy-checks.ts';
import { PolicyLimitExceeded, type PolicyThread } from './policy-thread.ts';

const CHECKED = { policy: { version: 'v1', rules: [] } };
const MINUTE_MS = 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Creates a thread that runs no code: the test supplies its answers and counts the texts it receives. */
class FakeThread {
  asked = 0;
  ended = false;
  answer: () => Promise<unknown> = async () => CHECKED;

  ask(): Promise<unknown> {
    this.asked += 1;
    return this.answer();
  }

  async close(): Promise<void> {
    this.ended = true;
  }
}

function checksUnderTest() {
  const threads: FakeThread[] = [];
  const warnings: unknown[] = [];
  const log = { warn: (facts: object, message: string) => warnings.push({ ...facts, message }) };
  const checks = new PolicyChecks(log as never, () => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread as unknown as PolicyThread;
  });
  return {
    checks,
    threads,
    warnings,
    check: () => checks.check(PolicyKind.DECISION, 'text'),
    borrow: () => checks.borrowThread() as unknown as FakeThread,
    release: (thread: FakeThread) => checks.release(thread as unknown as PolicyThread),
    /** The texts sent to each thread. */
    asked: () => threads.map(({ asked }) => asked),
  };
}

/** Delays a thread's answer until the returned function is called. */
function holdAnswer(thread: FakeThread): () => void {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  thread.answer = () => promise;
  return () => resolve(CHECKED);
}

describe('the thread that checks policies', () => {
  it('is reused for the next text', async () => {
    const { check, asked } = checksUnderTest();
    expect([await check(), await check()]).toEqual([CHECKED, CHECKED]);
    expect(asked()).toEqual([2]);
  });

  it('ends after an idle minute, and the next text starts another', async () => {
    const { check, asked, threads } = checksUnderTest();
    await check();
    jest.advanceTimersByTime(MINUTE_MS - 1);
    await check();
    jest.advanceTimersByTime(MINUTE_MS - 1);
    expect(threads[0]?.ended).toBe(false);
    jest.advanceTimersByTime(1);
    expect(threads[0]?.ended).toBe(true);
    await check();
    expect(asked()).toEqual([2, 1]);
  });

  it('does not end while it checks a text', async () => {
    const { check, threads } = checksUnderTest();
    await check();
    const finish = holdAnswer(threads[0] as FakeThread);
    const checking = check();
    await Promise.resolve();
    jest.advanceTimersByTime(MINUTE_MS);
    expect(threads[0]?.ended).toBe(false);
    finish();
    await checking;
  });

  it('is replaced after it has ended', async () => {
    const { check, asked, threads } = checksUnderTest();
    await check();
    await threads[0]?.close();
    await check();
    expect(asked()).toEqual([1, 1]);
  });

  it('ends when the checks are closed', async () => {
    const { checks, check, asked, threads } = checksUnderTest();
    await checks.close();
    await check();
    await checks.close();
    expect(threads[0]?.ended).toBe(true);
    await check();
    expect(asked()).toEqual([1, 1]);
  });

  it.each([
    ['took too long', new PolicyLimitExceeded('processor time'), 'processor time'],
    ['failed', new Error('a bug, with the text in it'), 'failed'],
  ])('is replaced after a check that %s, which is logged without the text', async (_how, error, reason) => {
    const { check, asked, threads, warnings } = checksUnderTest();
    await check();
    (threads[0] as FakeThread).answer = () => Promise.reject(error);
    await check().catch(() => {});
    expect(warnings).toEqual([{ reason, message: 'policy not checked' }]);
    await check();
    expect(asked()).toEqual([2, 1]);
  });
});

describe('a check', () => {
  it('reports a violation of the text as one place when it takes too long', async () => {
    const { check, threads } = checksUnderTest();
    await check();
    (threads[0] as FakeThread).answer = () => Promise.reject(new PolicyLimitExceeded('out of memory'));
    const message = expect.stringMatching(/too much time or memory\. Simplify its conditions/);
    expect(await check()).toEqual({ violations: [{ rule: '', place: 'the text', message }] });
  });

  it('rejects with the error when it fails', async () => {
    const { check, threads } = checksUnderTest();
    await check();
    (threads[0] as FakeThread).answer = () => Promise.reject(new TypeError('a bug'));
    await expect(check()).rejects.toThrow(new TypeError('a bug'));
  });

  it('is rejected as unavailable while 24 others are in progress, and accepted again afterwards', async () => {
    const { check, threads } = checksUnderTest();
    await check();
    const finish = holdAnswer(threads[0] as FakeThread);
    const others = Array.from({ length: 24 }, check);
    const refused = await check().catch((error: unknown) => error);
    expect(refusalOf(refused)?.code).toBe(RefusalCode.SERVICE_UNAVAILABLE);
    finish();
    expect(await Promise.all(others)).toEqual(Array(24).fill(CHECKED));
    expect(await check()).toBe(CHECKED);
  });
});

describe('a borrowed thread', () => {
  it('is the idle one, which does not end meanwhile', async () => {
    const { check, borrow, threads } = checksUnderTest();
    await check();
    const borrowed = borrow();
    expect(threads).toEqual([borrowed]);
    jest.advanceTimersByTime(MINUTE_MS);
    expect(borrowed.ended).toBe(false);
  });

  it('leaves text checks to another thread', async () => {
    const { check, borrow, asked } = checksUnderTest();
    await check();
    borrow();
    await check();
    expect(asked()).toEqual([1, 1]);
  });

  it('is a new one while a text is being checked', async () => {
    const { check, borrow, asked, threads } = checksUnderTest();
    await check();
    const finish = holdAnswer(threads[0] as FakeThread);
    const checking = check();
    expect(borrow()).toBe(threads[1]);
    finish();
    await checking;
    await check();
    expect(asked()).toEqual([3, 0]);
  });

  it('is a new one when there is none, or the idle one has ended', async () => {
    const { borrow, release, threads } = checksUnderTest();
    const first = borrow();
    release(first);
    await first.close();
    expect(borrow()).not.toBe(first);
    expect(threads).toHaveLength(2);
  });

  it('checks the next text after its release, and ends a minute after that', async () => {
    const { check, borrow, release, asked } = checksUnderTest();
    const borrowed = borrow();
    release(borrowed);
    await check();
    expect(asked()).toEqual([1]);
    jest.advanceTimersByTime(MINUTE_MS);
    expect(borrowed.ended).toBe(true);
  });

  it('ends a minute after its release when no text follows', () => {
    const { borrow, release } = checksUnderTest();
    const borrowed = borrow();
    release(borrowed);
    jest.advanceTimersByTime(MINUTE_MS - 1);
    expect(borrowed.ended).toBe(false);
    jest.advanceTimersByTime(1);
    expect(borrowed.ended).toBe(true);
  });

  it('ends on release when another is idle', async () => {
    const { check, borrow, release, threads } = checksUnderTest();
    const borrowed = borrow();
    await check();
    release(borrowed);
    expect(threads.map(({ ended }) => ended)).toEqual([true, false]);
  });

  it('is not reused when it ended before its release', async () => {
    const { check, borrow, release, asked } = checksUnderTest();
    const borrowed = borrow();
    await borrowed.close();
    release(borrowed);
    await check();
    expect(asked()).toEqual([0, 1]);
  });
});
