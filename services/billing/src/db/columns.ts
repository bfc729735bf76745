/** A column of a table: its name and type, and what of a `Row` it holds. */
export type Column<Row> = readonly [name: string, type: string, read: (row: Row) => unknown];

export function namesOf<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(([name]) => name).join(', ');
}

/** The values of `rows` by column: one array for each placeholder of `given`. */
export function valuesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[][] {
  return columns.map(([, , read]) => rows.map(read));
}

/** Rows given by column in the placeholders from `$first` on, as a table `given` for FROM. */
export function given<Row>(columns: readonly Column<Row>[], first = 1): string {
  const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`);
  return `unnest(${arrays.join(', ')}) AS given(${namesOf(columns)})`;
}
