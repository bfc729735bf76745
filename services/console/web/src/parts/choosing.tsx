import { Checkbox } from '@blueprintjs/core';
import { useMemo, useState } from 'react';

/**
 * Maximum rows selected together: ten calls of a hundred, which takes an acceptable time and keeps the list readable.
 */
export const MOST_CHOSEN = 1_000;

/** The selected rows of a list, and functions that change the selection. */
export interface Choosing<Row> {
  /** In the order of the list, at most 1,000. */
  readonly chosen: readonly Row[];
  readonly isChosen: (key: string) => boolean;
  /** Selects these rows, up to the maximum. */
  readonly choose: (keys: readonly string[]) => void;
  readonly leave: (keys: readonly string[]) => void;
  readonly clear: () => void;
  /** Returns the accessible name of a row. */
  readonly nameOf: (row: Row) => string;
}

interface Kept {
  readonly of: string;
  readonly keys: ReadonlySet<string>;
}

/**
 * Tracks which rows of a list are selected. The selection is kept while more rows load. A row that is no longer listed
 * is deselected, so that no action applies to a row the person can't see. Changing the list clears the selection.
 *
 * @param of identifies the list by its filters
 */
export function useChoosing<Row>(
  of: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): Choosing<Row> {
  const [kept, setKept] = useState<Kept>({ of, keys: new Set() });
  const listed = useMemo(
    () => new Map(rows.filter((row) => kept.keys.has(keyOf(row))).map((row) => [keyOf(row), row])),
    [rows, kept, keyOf],
  );
  const keys = kept.of === of ? [...listed.keys()] : [];
  if (kept.of !== of || keys.length !== kept.keys.size) setKept({ of, keys: new Set(keys) });
  const change = (next: (keys: ReadonlySet<string>) => Iterable<string>) =>
    setKept((before) => ({ of: before.of, keys: new Set([...next(before.keys)].slice(0, MOST_CHOSEN)) }));
  return {
    chosen: kept.of === of ? [...listed.values()] : [],
    isChosen: (key) => kept.keys.has(key),
    choose: (more) => change((before) => new Set([...before, ...more])),
    leave: (fewer) => change((before) => [...before].filter((key) => !fewer.includes(key))),
    clear: () => change(() => []),
    nameOf,
  };
}

interface ChooseOneProps<Row> {
  readonly choosing: Choosing<Row>;
  readonly row: Row;
  readonly rowKey: string;
}

/** Checkbox that selects one row. */
export function ChooseOne<Row>({ choosing, row, rowKey }: ChooseOneProps<Row>) {
  const isChosen = choosing.isChosen(rowKey);
  return (
    <Checkbox
      className="alone"
      aria-label={`Choose ${choosing.nameOf(row)}`}
      checked={isChosen}
      disabled={!isChosen && choosing.chosen.length >= MOST_CHOSEN}
      onChange={() => (isChosen ? choosing.leave([rowKey]) : choosing.choose([rowKey]))}
    />
  );
}

interface ChooseAllProps<Row> {
  readonly choosing: Choosing<Row>;
  /** Keys of all rows loaded so far, in order. */
  readonly keys: readonly string[];
}

/** Checkbox that selects all loaded rows, starting with the first, or none. */
export function ChooseAll<Row>({ choosing, keys }: ChooseAllProps<Row>) {
  const count = choosing.chosen.length;
  const isAll = count > 0 && count === keys.length;
  return (
    <Checkbox
      className="alone"
      aria-label="Choose all that are listed so far"
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      disabled={keys.length === 0}
      onChange={() => (isAll ? choosing.clear() : choosing.choose(keys))}
    />
  );
}
