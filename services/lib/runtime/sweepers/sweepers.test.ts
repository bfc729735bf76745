import { setImmediate as endOfTurn } from 'node:timers/promises';
import { eventually, startTestProcess } from '../../testing/index.ts';
import { repeatUntilDone, type Sweep, startSweepers } from './index.ts';

const HOUR_MS = 3_600_000;

/** Creates a sweep that finds the listed counts, one per run, and then nothing. */
function sweep(finds: number[], options: Partial<Sweep<string>> = {}) {
  const contexts: string[] = [];
  const made: Sweep<string> = {
    found: 'found something',
    everyMs: HOUR_MS,
    async run(context) {
      contexts.push(context);
      return { count: finds.shift() ?? 0, more: finds.length > 0 };
    },
    ...options,
  };
  return { made, contexts };
}

afterEach(() => void jest.useRealTimers());

describe('sweepers', () => {
  it('run immediately, continue while there is more, log their findings, and end with the process', async () => {
    const process = startTestProcess('sweeping');
    const { made, contexts } = sweep([2, 0, 1]);
    startSweepers(process, [made], 'context');
    await eventually('everything is found', () => contexts.length === 3);
    await process.stop();
    expect(contexts).toEqual(['context', 'context', 'context']);
    const logged = process.lines.filter(({ msg }) => msg === 'found something');
    expect(logged.map(({ count, level }) => [count, level])).toEqual([
      [2, 'info'],
      [1, 'info'],
    ]);
  });

  it('run again after their pause, each at its own interval', async () => {
    const process = startTestProcess('sweeping');
    const often = sweep([], { everyMs: 1 });
    const seldom = sweep([]);
    startSweepers(process, [often.made, seldom.made], 'context');
    await eventually('one has run often', () => often.contexts.length > 3);
    await process.stop();
    expect(seldom.contexts).toHaveLength(1);
  });

  it('run immediately when woken, without running the others', async () => {
    const process = startTestProcess('sweeping');
    const [woken, asleep] = [sweep([]), sweep([])];
    const sweepers = startSweepers(process, [woken.made, asleep.made], 'context');
    await eventually('both have run', () => woken.contexts.length + asleep.contexts.length === 2);
    sweepers.wake(woken.made);
    await eventually('it has run again', () => woken.contexts.length === 2);
    await process.stop();
    expect(asleep.contexts).toHaveLength(1);
  });

  it.each([
    [{ everyMs: 1 }, 2_000],
    [{ everyMs: 3_000 }, 3_000],
    [{ everyMs: 3_000, retryMs: 500 }, 500],
  ])('with %j run again %d ms after a failure', async (options, pauseMs) => {
    jest.useFakeTimers();
    const process = startTestProcess('sweeping');
    const run = jest.fn().mockRejectedValue(new Error('the database is unavailable'));
    startSweepers(process, [sweep([], { ...options, run }).made], 'context');
    await jest.advanceTimersByTimeAsync(pauseMs - 1);
    expect(run).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(2);
    await process.stop();
  });

  it('log a failure and continue, without affecting the others', async () => {
    const process = startTestProcess('sweeping');
    let runs = 0;
    const failing = sweep([], {
      everyMs: 1,
      retryMs: 1,
      run: async () => {
        runs += 1;
        throw new Error('the database is unavailable');
      },
    });
    const worrying = sweep([1], { level: 'warn' });
    startSweepers(process, [failing.made, worrying.made], 'context');
    await eventually('the failing one has run again', () => runs > 1);
    await process.stop();
    expect(process.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        reason: 'found something',
        msg: 'sweep failed',
      }),
    );
    expect(process.lines).toContainEqual(expect.objectContaining({ level: 'warn', count: 1 }));
  });
});

it('repeatUntilDone ends its pause when the process stops', async () => {
  const stopping = new AbortController();
  const attempt = jest.fn(async () => false);
  const done = repeatUntilDone({ stopping: stopping.signal }, HOUR_MS, attempt);
  await endOfTurn();
  stopping.abort();
  expect(await Promise.race([done.then(() => 'ended'), endOfTurn('pausing')])).toBe('ended');
  expect(attempt).toHaveBeenCalledTimes(1);
});
