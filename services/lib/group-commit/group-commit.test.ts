import { currentContext, runInContext } from '../request-context/index.ts';
import { groupCommit } from './index.ts';

function recorder(lanes: number, maxQueue = 100) {
  const groups: number[][] = [];
  const pending: (() => void)[] = [];
  const submit = groupCommit<number, number>({
    maxGroup: 3,
    maxQueue,
    lanes,
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
    await new Promise(setImmediate);
  };
  return { submit, groups, commit };
}

describe('groupCommit', () => {
  it('flushes in the context of nobody, and answers each in its own', async () => {
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

  it('starts the first item at once and groups those that wait', async () => {
    const { submit, groups, commit } = recorder(1);
    const results = Promise.all([1, 2, 3, 4, 5].map(submit));
    expect(groups).toEqual([[1]]);
    await commit();
    await commit();
    await commit();
    expect(groups).toEqual([[1], [2, 3, 4], [5]]);
    expect(await results).toEqual([2, 4, 6, 8, 10]);
  });

  it('uses its lanes side by side', () => {
    const { submit, groups } = recorder(2);
    void submit(1);
    void submit(2);
    void submit(3);
    expect(groups).toEqual([[1], [2]]);
  });

  it('fails only the group that failed', async () => {
    const { submit, commit } = recorder(1);
    const results = Promise.allSettled([1, 13, 3].map(submit));
    await commit();
    await commit();
    const next = submit(4);
    await commit();
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await next).toBe(8);
  });

  it('runs the items of a failed group alone where that is asked for, so that a bad one fails alone', async () => {
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
    expect(groups).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  });

  it('refuses an item beyond its bound', async () => {
    const { submit } = recorder(1, 1);
    void submit(1);
    void submit(2);
    await expect(submit(3)).rejects.toThrow('full');
  });
});
