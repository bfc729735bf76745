import { isUuid, newId, parseId, type SubmissionId } from './index.ts';

describe('ids', () => {
  it('makes ids that sort by time', () => {
    const ids = Array.from({ length: 100 }, () => newId<SubmissionId>());
    expect([...ids].sort()).toEqual(ids);
  });

  it('reads a UUID in either case and nothing else', () => {
    const id = newId<SubmissionId>();
    expect(parseId(id.toUpperCase())).toBe(id);
    for (const wrong of ['', 'x', `${id} `, `{${id}}`, id.slice(1), id.replaceAll('-', '')]) {
      expect(isUuid(wrong)).toBe(false);
      expect(parseId(wrong)).toBeUndefined();
    }
  });
});
