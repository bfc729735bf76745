import { currentContext, runInContext } from '../request-context/index.ts';
import { groupCommit } from './index.ts';

const turn = () => new Promise(setImmediate);

function recorder(lanes: number, maxQueue = 100, beatMs = 0) {
  const groups: number[][] = [];
  const pending: (() => void)[] = [];
  const submit = groupCommit<number, number>({
    maxGroup: 3,
    maxQueue,
    lanes,
    beatMs,
    overloaded: () => new Error('full'),
    flush: async (items) => {
      groups.push(items);
      await new Promise<void>((resolve) => {
        pending.push(resolve);
      });
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * 2);
    },
  });
  const commit = async () => {
    pending.shift()?.();
    await turn();
    await turn();
  };
  return { submit, groups, commit };
}

describe('groupCommit', () => {
  it('flushes without a request context, and resolves each call in its own', async () => {
    const seen: (string | undefined)[] = [];
    const submit = groupCommit<number, number>({
      maxGroup: 3,
      maxQueue: 3,
      lanes: 1,
      overloaded: () => new Error('full'),
      async flush(items) {
        seen.push(currentContext()?.requestId);
        return items;
      },
    });
    await runInContext({ requestId: 'first', traceParent: '' }, async () => {
      await submit(1);
      seen.push(currentContext()?.requestId);
    });
    expect(seen).toEqual([undefined, 'first']);
  });

  it('starts at the end of the tick with the items so far, and groups the items that arrive meanwhile', async () => {
    const { submit, groups, commit } = recorder(1);
    const first = Promise.all([1, 2].map(submit));
    await turn();
    const others = Promise.all([3, 4, 5, 6].map(submit));
    expect(groups).toEqual([[1, 2]]);
    await commit();
    await commit();
    await commit();
    expect(groups).toEqual([[1, 2], [3, 4, 5], [6]]);
    expect([...(await first), ...(await others)]).toEqual([2, 4, 6, 8, 10, 12]);
  });

  it('uses its lanes concurrently', async () => {
    const { submit, groups } = recorder(2);
    for (const item of [1, 2, 3]) {
      void submit(item);
      await turn();
    }
    expect(groups).toEqual([[1], [2]]);
  });

  describe('with a beat', () => {
    const DAY_MS = 86_400_000;
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
    });
    afterEach(() => jest.useRealTimers());

    it('starts immediately after a pause, and collects further items until the next beat, even with free lanes', async () => {
      const { submit, groups } = recorder(3, 100, 20);
      void submit(1);
      await turn();
      expect(groups).toEqual([[1]]);
      for (const item of [2, 3]) {
        void submit(item);
        await turn();
      }
      jest.advanceTimersByTime(19);
      await turn();
      expect(groups).toEqual([[1]]);
      jest.advanceTimersByTime(1);
      await turn();
      expect(groups).toEqual([[1], [2, 3]]);
      jest.advanceTimersByTime(1_000);
      void submit(4);
      await turn();
      expect(groups).toEqual([[1], [2, 3], [4]]);
    });

    it('keeps the beat as long as items arrive', async () => {
      const { submit, groups } = recorder(9, 100, 20);
      void submit(0);
      await turn();
      const expected = [[0]];
      for (let beat = 1; beat <= 5; beat += 1) {
        for (const item of [beat, 10 * beat]) {
          void submit(item);
          await turn();
        }
        jest.advanceTimersByTime(19);
        await turn();
        expect(groups).toEqual(expected);
        jest.advanceTimersByTime(1);
        await turn();
        expected.push([beat, 10 * beat]);
        expect(groups).toEqual(expected);
      }
    });

    it('starts, at the next beat, the items that arrived while every lane was busy', async () => {
      const { submit, groups, commit } = recorder(1, 100, 20);
      const expected: number[][] = [];
      for (let beat = 0; beat < 4; beat += 1) {
        void submit(beat);
        await turn();
        jest.advanceTimersByTime(20);
        await turn();
        expected.push([beat]);
        expect(groups).toEqual(expected);
        void submit(100 + beat);
        jest.advanceTimersByTime(20);
        await commit();
        await turn();
        expected.push([100 + beat]);
        expect(groups).toEqual(expected);
        await commit();
      }
    });

    it('does not wait for the beat once enough items are queued', async () => {
      const { submit, groups } = recorder(9, 100, DAY_MS);
      void submit(1);
      await turn();
      for (let item = 0; item < 11; item += 1) void submit(item);
      await turn();
      expect(groups).toHaveLength(1);
      void submit(11);
      await turn();
      await turn();
      expect(groups.slice(1)).toEqual([[0, 1, 2]]);
    });
  });

  it('fails only the items of the failed group', async () => {
    const { submit, commit } = recorder(1);
    const results = Promise.allSettled([1, 13, 3].map(submit));
    await turn();
    await commit();
    const next = submit(4);
    await turn();
    await commit();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await next).toBe(8);
  });

  it('retries the items of a failed group one by one with runAloneAfter, so that only a bad item fails', async () => {
    const groups: number[][] = [];
    const submit = groupCommit<number, number>({
      maxGroup: 10,
      maxQueue: 10,
      lanes: 1,
      async flush(items) {
        groups.push(items);
        if (items.includes(3)) throw new Error('bad item');
        return items;
      },
      runAloneAfter: (error) => error instanceof Error && error.message === 'bad item',
      overloaded: () => new Error('full'),
    });
    const all = await Promise.allSettled([1, 2, 3, 4].map((item) => submit(item)));
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([[1, 2, 3, 4], [1], [2], [3], [4]]);
  });

  it('rejects an item when the queue is full', async () => {
    const { submit } = recorder(1, 1);
    void submit(1);
    await turn();
    void submit(2);
    await expect(submit(3)).rejects.toThrow('full');
  });
});
