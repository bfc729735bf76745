/**
 * Maximum rows selected together: ten calls of a hundred, which takes an acceptable time and keeps the list readable.
 */
export const MAX_SELECTED = 1_000;

/** Selects more rows, up to the maximum: those selected before stay. */
export const selectMore = (keys: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> =>
  new Set([...new Set([...keys, ...more])].slice(0, MAX_SELECTED));
