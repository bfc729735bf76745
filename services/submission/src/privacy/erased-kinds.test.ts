import { ERASED_KINDS, wordsFor } from './erasures.sql.ts';

describe('what an erasure certificate names', () => {
  it('is in words for every kind, each with its own', () => {
    const all = Object.entries(ERASED_KINDS).flatMap(([place, kinds]) =>
      Object.keys(kinds).map((kind) => wordsFor(place, kind)),
    );
    expect(all).toHaveLength(16);
    expect(new Set(all.filter((words) => words.length > 10)).size).toBe(16);
  });

  it('has no words for a kind or service that a later version removed', () => {
    expect(wordsFor('submission', 'removed')).toBe('');
    expect(wordsFor('removed', 'enquiry')).toBe('');
  });
});
