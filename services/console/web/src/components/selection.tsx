import { Checkbox } from '@mantine/core';
import { useMemo, useState } from 'react';
import { MAX_SELECTED, selectMore } from './selected-keys.ts';

/** The selected rows of a list, and functions that change the selection. */
export interface RowSelection<Row> {
  /** In the order of the list, at most 1,000. */
  readonly selected: readonly Row[];
  readonly isSelected: (key: string) => boolean;
  /** Selects these rows, up to the maximum. */
  readonly select: (keys: readonly string[]) => void;
  readonly deselect: (keys: readonly string[]) => void;
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
export function useSelection<Row>(
  of: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): RowSelection<Row> {
  const [kept, setKept] = useState<Kept>({ of, keys: new Set() });
  const listed = useMemo(
    () => new Map(rows.filter((row) => kept.keys.has(keyOf(row))).map((row) => [keyOf(row), row])),
    [rows, kept, keyOf],
  );
  const keys = kept.of === of ? [...listed.keys()] : [];
  if (kept.of !== of || keys.length !== kept.keys.size) setKept({ of, keys: new Set(keys) });
  const change = (next: (keys: ReadonlySet<string>) => ReadonlySet<string>) =>
    setKept((before) => ({ of: before.of, keys: next(before.keys) }));
  return {
    selected: kept.of === of ? [...listed.values()] : [],
    isSelected: (key) => kept.keys.has(key),
    select: (more) => change((before) => selectMore(before, more)),
    deselect: (fewer) => change((before) => new Set([...before].filter((key) => !fewer.includes(key)))),
    clear: () => change(() => new Set()),
    nameOf,
  };
}

interface SelectRowProps<Row> {
  readonly selection: RowSelection<Row>;
  readonly row: Row;
  readonly rowKey: string;
}

/** Checkbox that selects one row. */
export function SelectRow<Row>({ selection, row, rowKey }: SelectRowProps<Row>) {
  const isSelected = selection.isSelected(rowKey);
  const isFull = !isSelected && selection.selected.length >= MAX_SELECTED;
  return (
    <Checkbox
      size="xs"
      aria-label={`Select ${selection.nameOf(row)}`}
      checked={isSelected}
      disabled={isFull}
      title={isFull ? `At most ${MAX_SELECTED.toLocaleString('en-GB')} can be selected.` : undefined}
      onChange={() => (isSelected ? selection.deselect([rowKey]) : selection.select([rowKey]))}
    />
  );
}

interface SelectAllProps<Row> {
  readonly selection: RowSelection<Row>;
  /** Keys of all rows loaded so far, in order. */
  readonly keys: readonly string[];
  /** What the rows are: "submissions". */
  readonly plural: string;
}

/** Checkbox that selects all loaded rows, starting with the first, or none. */
export function SelectAll<Row>({ selection, keys, plural }: SelectAllProps<Row>) {
  const count = selection.selected.length;
  const isAll = count > 0 && count === keys.length;
  return (
    <Checkbox
      size="xs"
      aria-label={`Select all loaded ${plural}`}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      disabled={keys.length === 0}
      title={keys.length === 0 ? `There are no ${plural} to select.` : undefined}
      onChange={() => (isAll ? selection.clear() : selection.select(keys))}
    />
  );
}
