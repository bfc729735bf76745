import { repeatViolations } from './violations.ts';

describe('repeatViolations', () => {
  it('finds nothing in a list without repeats', () => {
    expect(repeatViolations('scopes', [])).toEqual([]);
    expect(repeatViolations('scopes', ['a', 'b', 'c'])).toEqual([]);
  });

  it('names each later item that repeats an earlier one', () => {
    expect(repeatViolations('scopes', ['a', 'b', 'a', 'a'])).toEqual([
      { path: 'scopes.2', message: 'repeats an earlier item' },
      { path: 'scopes.3', message: 'repeats an earlier item' },
    ]);
  });
});
