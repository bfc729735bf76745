import { Checkbox } from '@blueprintjs/core';
import { useMemo, useState } from 'react';

/** Rows that can be chosen at once: ten calls of a hundred, which somebody waits for, and still a list that can be looked through. */
export const MOST_CHOSEN = 1_000;

/** Which rows of a list are chosen, and how to change that. */
export interface Choosing<Row> {
  /** In the order of the list, at most 1,000. */
  readonly chosen: readonly Row[];
  readonly isChosen: (key: string) => boolean;
  /** Chooses these, as many as there is room for. */
  readonly choose: (keys: readonly string[]) => void;
  readonly leave: (keys: readonly string[]) => void;
  readonly clear: () => void;
  /** What to call a row for those who do not see it. */
  readonly nameOf: (row: Row) => string;
}

interface Kept {
  readonly of: string;
  readonly keys: ReadonlySet<string>;
}

/**
 * Rows that somebody chooses of a list. They stay chosen while more of it comes. What is no longer listed is no longer chosen, so
 * that nothing is done to what nobody sees; and with another list nothing is.
 *
 * @param of which list it is, as its filters say
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

/** Chooses a row. */
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
  /** All that are listed so far, as they are ordered. */
  readonly keys: readonly string[];
}

/** Chooses all that are listed so far, from the first on, or none. */
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
