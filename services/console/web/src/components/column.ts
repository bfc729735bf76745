import type { ReactNode } from 'react';

/** One column of a list. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Sort key of a row. Omitted for columns that can't be sorted. */
  readonly order?: (row: Row) => string | number | bigint;
  /** Set for the column by which the service sorts the list. */
  readonly listOrder?: Direction;
  readonly isNumber?: boolean;
  /** Least width, for cells that load later than the list. */
  readonly width?: string;
  /** Whether it names the row. Otherwise the first column does. */
  readonly isRowHeader?: boolean;
  /** Whether the column is left out where the list is narrow, unless the person chooses it. */
  readonly isMinor?: boolean;
  /** Whether the column is hidden until the person chooses it. */
  readonly isOptional?: boolean;
}

export type Direction = 'asc' | 'desc';

/** Returns the name of the column that names the rows. */
export const rowHeaderOf = <Row>(columns: readonly Column<Row>[]): string | undefined =>
  (columns.find(({ isRowHeader }) => isRowHeader) ?? columns[0])?.name;

/** How the rows of a list are sorted. */
export interface Sorting {
  readonly name: string;
  readonly direction: Direction;
}

type Ordered<Row> = Pick<Column<Row>, 'name' | 'order'>;

/** Returns the rows in the order of the sorted column. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Ordered<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const order = columns.find(({ name }) => name === sorting?.name)?.order;
  if (!order) return rows;
  const sign = sorting?.direction === 'desc' ? -1 : 1;
  return rows
    .map((row) => [order(row), row] as const)
    .toSorted(([a], [b]) => (a === b ? 0 : a > b ? sign : -sign))
    .map(([, row]) => row);
}

/**
 * Returns the sorting after a click on a column: texts first ascend, numbers first descend, and a third click restores
 * the order of the service.
 */
export function nextSorting<Row>(
  rows: readonly Row[],
  { name, order }: Ordered<Row>,
  before: Sorting | undefined,
): Sorting | undefined {
  const [row] = rows;
  const first = row !== undefined && typeof order?.(row) !== 'string' ? 'desc' : 'asc';
  if (before?.name !== name) return { name, direction: first };
  return before.direction === first ? { name, direction: first === 'asc' ? 'desc' : 'asc' } : undefined;
}
