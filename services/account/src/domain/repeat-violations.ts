import type { Violation } from './violation.ts';

/** A violation for each item of `list` that stands earlier in it too; `path` is the list's. */
export function repeatViolations(path: string, list: readonly unknown[]): Violation[] {
  return list.flatMap((item, index) =>
    list.indexOf(item) < index ? [{ path: `${path}.${index}`, message: 'repeats an earlier item' }] : [],
  );
}
