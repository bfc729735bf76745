import type { Catalogue, Column, Table } from './catalogue.ts';

/**
 * Returns the schema as one SQL script that creates it in an empty database: types, functions, tables, foreign keys.
 */
export function dumpSchema(catalogue: Catalogue): string {
  return [...statements(catalogue).values()].map((sql) => `${sql}\n`).join('\n');
}

/** Returns each object of the schema by kind and name, in an order in which they can be created. */
export function statements({ types, functions, tables }: Catalogue): Map<string, string> {
  return new Map([
    ...types.map(({ name, sql }) => [`type ${name}`, `${sql};`] as const),
    ...functions.map(({ name, sql }) => [`function ${name}`, `${sql};`] as const),
    ...tables.map((table) => [`table ${table.name}`, tableWithItsParts(table)] as const),
    ...tables.flatMap((table) =>
      table.constraints
        .filter(({ kind }) => kind === 'foreign key')
        .map(
          ({ name, sql }) =>
            [`foreign key ${name}`, `ALTER TABLE ${table.name} ADD CONSTRAINT ${name}\n    ${sql};`] as const,
        ),
    ),
  ]);
}

function tableWithItsParts(table: Table): string {
  const { name, unlogged, columns, constraints, options, partitionedBy, defaultPartition } = table;
  const body = [
    ...columns.map((column) => columnLine(name, column)),
    ...constraints
      .filter(({ kind }) => kind !== 'foreign key')
      .map((constraint) => `CONSTRAINT ${constraint.name} ${constraint.sql}`),
  ];
  const making = [
    `CREATE ${unlogged ? 'UNLOGGED ' : ''}TABLE ${name} (\n${body.map((line) => `    ${line}`).join(',\n')}\n)`,
    ...(partitionedBy ? [`PARTITION BY ${partitionedBy}`] : []),
    ...(options.length > 0
      ? [`WITH (\n${options.map((option) => `    ${option.replace('=', ' = ')}`).join(',\n')}\n)`]
      : []),
  ].join(' ');
  return [
    making,
    ...(defaultPartition ? [`CREATE TABLE ${defaultPartition} PARTITION OF ${name} DEFAULT`] : []),
    ...[...table.indexes, ...table.triggers].map(({ sql }) => sql),
  ]
    .map((sql) => `${sql};`)
    .join('\n');
}

/** Writes a column as `bigserial` if it has its own sequence. */
function columnLine(table: string, { name, type, notNull, default: value }: Column): string {
  if (value === `nextval('${table}_${name}_seq'::regclass)`)
    return `${name} ${type === 'bigint' ? 'bigserial' : 'serial'} NOT NULL`;
  return `${name} ${type}${notNull ? ' NOT NULL' : ''}${value === null ? '' : ` DEFAULT ${value}`}`;
}
