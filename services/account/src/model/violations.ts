/** One thing that is wrong with a request: its field, by the contract's names, and a sentence that repeats no value. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** A violation for each item of `list` that repeats an earlier one; `path` is the list's. */
export function repeatViolations(path: string, list: readonly unknown[]): Violation[] {
  return list.flatMap((item, index) =>
    list.indexOf(item) < index ? [{ path: `${path}.${index}`, message: 'repeats an earlier item' }] : [],
  );
}
