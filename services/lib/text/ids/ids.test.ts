import { isUuid, newId, parseId, type SubmissionId } from './index.ts';

describe('ids', () => {
  it('newId returns ids that sort by time', () => {
    const ids = Array.from({ length: 100 }, () => newId<SubmissionId>());
    expect([...ids].sort()).toEqual(ids);
  });

  it('newId follows a clock that was an hour ahead and continues when it steps back slightly', () => {
    const now = Date.now();
    const idAt = (ms: number) => {
      jest.useFakeTimers({ now: ms });
      return newId<SubmissionId>();
    };
    try {
      idAt(now + 3_600_000);
      const ids = [now, now - 900, now + 1].map(idAt);
      expect([...ids].sort()).toEqual(ids);
      expect(ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16))).toEqual([
        now,
        now,
        now + 1,
      ]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('parseId accepts a UUID in either case and nothing else', () => {
    const id = newId<SubmissionId>();
    expect(parseId(id.toUpperCase())).toBe(id);
    for (const wrong of ['', 'x', `${id} `, `{${id}}`, id.slice(1), id.replaceAll('-', '')]) {
      expect(isUuid(wrong)).toBe(false);
      expect(parseId(wrong)).toBeUndefined();
    }
  });
});
