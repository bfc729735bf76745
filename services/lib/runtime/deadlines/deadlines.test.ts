import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { cancelDeadline, startDeadline, within } from './index.ts';

function boundedWork() {
  const startedAt = performance.now();
  let expire = () => {};
  const expired = new Promise<number>((resolve) => {
    expire = () => resolve(performance.now() - startedAt);
  });
  return { expired, expire: () => expire() };
}

describe('startDeadline', () => {
  it('expires each piece of work after its own time, never earlier', async () => {
    const [short, long] = [boundedWork(), boundedWork()];
    startDeadline(long, 130);
    startDeadline(short, 50);
    expect(await short.expired).toBeGreaterThanOrEqual(50);
    expect(await long.expired).toBeGreaterThanOrEqual(130);
  });

  it('expires work whose time was up before it began', async () => {
    const [running, late] = [boundedWork(), boundedWork()];
    startDeadline(running, 150);
    startDeadline(late, -5_000);
    expect(await late.expired).toBeLessThan(20_000);
    await running.expired;
  });

  it('does not expire work that ended in time', async () => {
    const ended: string[] = [];
    const work = { expire: () => ended.push('work') };
    const other = boundedWork();
    cancelDeadline(work, startDeadline(work, 30));
    startDeadline(other, 60);
    await other.expired;
    expect(ended).toEqual([]);
  });

  it('expires once, catches up after the process was busy, and works again after a pause', async () => {
    let times = 0;
    startDeadline({ expire: () => (times += 1) }, 10);
    const end = performance.now() + 90;
    while (performance.now() < end);
    const last = boundedWork();
    startDeadline(last, 40);
    await last.expired;
    expect(times).toBe(1);
    await delay(60);
    const later = boundedWork();
    startDeadline(later, 0);
    expect(await later.expired).toBeLessThan(20_000);
  });
});

it('a deadline does not keep a process alive', async () => {
  const { spawn } = await import('node:child_process');
  const script = `import { startDeadline } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    startDeadline({ expire() {} }, 60_000);`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]);
  expect(await once(child, 'exit')).toEqual([0, null]);
});

describe('within', () => {
  const never = new Promise<string>(() => {});

  it('settles like the work when that is in time', async () => {
    expect(await within(10_000, Promise.resolve('done'), () => 'late')).toBe('done');
    const failure = new Error('no');
    await expect(within(10_000, Promise.reject(failure), () => 'late')).rejects.toBe(failure);
  });

  it('settles with the result of `late` when the work is late', async () => {
    expect(await within(5, never, () => 'late')).toBe('late');
    const failure = new Error('too late');
    const late = () => {
      throw failure;
    };
    await expect(within(5, never, late)).rejects.toBe(failure);
  });

  it('checks again when the process was too busy to notice that the work had ended', async () => {
    // Ends outside of this thread; its result arrives only after the timers.
    const work = new Promise<string>((resolve) => randomBytes(8, () => resolve('done')));
    const answer = within(5, work, () => 'late');
    const until = performance.now() + 30;
    while (performance.now() < until);
    expect(await answer).toBe('done');
  });

  it('ignores work that fails after its time', async () => {
    let fail = (_: Error) => {};
    const work = new Promise<string>((_, reject) => {
      fail = reject;
    });
    expect(await within(5, work, () => 'late')).toBe('late');
    fail(new Error('nobody waits for this'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
