import { PublicError, type Violation } from '../errors/public-error.ts';
import { checkBoth } from './check-both.ts';

function fail(...paths: string[]): () => never {
  return () => {
    throw new PublicError('validation_error', {
      details: paths.map((path) => ({ path, message: 'is required' })),
    });
  };
}

function pathsFrom(first: () => unknown, second: () => unknown): string[] {
  try {
    checkBoth(first, second);
    return [];
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return (error.details as Violation[]).map(({ path }) => path);
  }
}

describe('checkBoth', () => {
  it('returns the results of both checks', () => {
    expect(
      checkBoth(
        () => 1,
        () => 'two',
      ),
    ).toEqual([1, 'two']);
  });

  it('reports the violations of either check, or of both in order', () => {
    const pass = () => undefined;
    expect(pathsFrom(fail('a'), pass)).toEqual(['a']);
    expect(pathsFrom(pass, fail('b'))).toEqual(['b']);
    expect(pathsFrom(fail('a'), fail('b', 'c'))).toEqual(['a', 'b', 'c']);
  });

  it('lists no more than 50 violations', () => {
    const many = Array.from({ length: 50 }, (_, i) => `field_${i}`);
    expect(pathsFrom(fail('a'), fail(...many))).toHaveLength(50);
  });

  it('rethrows other errors', () => {
    const bug = () => {
      throw new TypeError('a bug');
    };
    for (const [first, second] of [
      [bug, fail('b')],
      [fail('a'), bug],
    ] as const) {
      expect(() => checkBoth(first, second)).toThrow(TypeError);
    }
  });
});
