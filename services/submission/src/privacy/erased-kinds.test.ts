import { ERASED_KINDS, wordsFor } from './erasures.sql.ts';

describe('the kinds in an erasure certificate', () => {
  it('have a distinct description each', () => {
    const all = Object.entries(ERASED_KINDS).flatMap(([place, kinds]) =>
      Object.keys(kinds).map((kind) => wordsFor(place, kind)),
    );
    expect(all).toHaveLength(16);
    expect(new Set(all.filter((words) => words.length > 10)).size).toBe(16);
  });

  it('have no description after a later version has removed a kind or service', () => {
    expect(wordsFor('submission', 'removed')).toBe('');
    expect(wordsFor('removed', 'enquiry')).toBe('');
  });
});
