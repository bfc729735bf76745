/** The columns of a map, given as `name: [type, value]`. */
export type Columns<Row> = Readonly<Record<string, readonly [type: string, value: (row: Row) => unknown]>>;

/** Returns the same columns for rows that contain a `Part`. */
export function columnsOf<Row, Part>(columns: Columns<Part>, part: (row: Row) => Part): Columns<Row> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, [type, value]]) => [name, [type, (row: Row) => value(part(row))]]),
  );
}

/**
 * The columns of a table, for statements that process sets of rows, from `name: [type, value]`. The same map serves
 * inserts and updates of the table.
 */
export function columnMap<Row>(columns: Columns<Row>) {
  const all = Object.entries(columns).map(([name, [type, value]]) => ({ name, type, value }));
  const names = all.map(({ name }) => name).join(', ');
  return {
    /** `a, b, c` */
    names,
    count: all.length,
    /** Returns `a = g.a, b = g.b` for an UPDATE from the rows `g`, without the columns in `except`. */
    assignments: (...except: string[]) =>
      all
        .filter(({ name }) => !except.includes(name))
        .map(({ name }) => `${name} = g.${name}`)
        .join(', '),
    /** Returns `unnest($1::uuid[], …) AS g(a, b, …)`, with parameters numbered from `first`. */
    given: (first = 1) =>
      `unnest(${all.map(({ type }, index) => `$${first + index}::${type}[]`).join(', ')}) AS g(${names})`,
    /** Returns the parameters: for each column, the values of all rows. */
    values: (rows: readonly Row[]): unknown[][] => all.map(({ value }) => rows.map(value)),
  };
}

export type ColumnMap<Row> = ReturnType<typeof columnMap<Row>>;
