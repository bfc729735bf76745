/** A row of a list that looks at a bounded number of rows, in order, for one page. */
export interface LookedAt {
  readonly matches: boolean;
  /** The last that may be looked at: it is in the answer whether it matches or not. */
  readonly is_last: boolean;
}

/**
 * The page of at most `size` matching rows, and the row after which the next page begins; undefined when there is none.
 * `rows` are in order: the matching ones, one more than the page holds, and the last one that was looked at.
 */
export function boundedPage<Row extends LookedAt>(
  rows: readonly Row[],
  size: number,
): { page: Row[]; next: Row | undefined } {
  const found = rows.filter((row) => row.matches);
  const page = found.slice(0, size);
  return { page, next: found.length > size ? page.at(-1) : rows.find((row) => row.is_last) };
}
