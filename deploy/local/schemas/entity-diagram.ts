import type { Catalogue, Column, Constraint, Table } from './catalogue.ts';

/** The tables of a service with their columns and foreign keys as a Mermaid entity diagram, without those of `except`. */
export function entityDiagram({ tables }: Catalogue, except: ReadonlySet<string>): string {
  const drawn = tables.filter(({ name }) => !except.has(name));
  return ['erDiagram', ...drawn.flatMap(relations), ...drawn.flatMap(entity)].join('\n');
}

function entity(table: Table): string[] {
  const lines = table.columns.map((column) => {
    const keys = keysOf(table, column);
    return [
      `        ${column.shortType} ${column.name}`,
      ...(keys.length > 0 ? [keys.join(', ')] : []),
      ...(column.notNull ? [] : ['"may be null"']),
    ].join(' ');
  });
  return [`    ${table.name} {`, ...lines, '    }'];
}

function keysOf(table: Table, { name }: Column): string[] {
  const isIn = (kind: Constraint['kind']) =>
    table.constraints.some((constraint) => constraint.kind === kind && constraint.columns.includes(name));
  return [
    ...(isIn('primary key') ? ['PK'] : []),
    ...(isIn('foreign key') ? ['FK'] : []),
    ...(isUnique(table, [name]) ? ['UK'] : []),
  ];
}

function relations(table: Table): string[] {
  return table.constraints.flatMap(({ kind, columns, references }) => {
    if (kind !== 'foreign key' || references === null) return [];
    const isOptional = table.columns.some(({ name, notNull }) => columns.includes(name) && !notNull);
    const isOne = isUnique(table, columns) || isKey(table, columns);
    return [
      `    ${references} ${isOptional ? '|o' : '||'}--${isOne ? 'o|' : 'o{'} ${table.name} : "${columns.join(', ')}"`,
    ];
  });
}

/** Whether a unique constraint or a whole unique index holds exactly these columns. */
function isUnique(table: Table, columns: readonly string[]): boolean {
  const list = `(${columns.join(', ')})`;
  return (
    table.constraints.some(
      (constraint) => constraint.kind === 'unique' && sameSet(constraint.columns, columns),
    ) || table.indexes.some(({ sql }) => sql.startsWith('CREATE UNIQUE INDEX') && sql.endsWith(list))
  );
}

const isKey = (table: Table, columns: readonly string[]) =>
  table.constraints.some(
    (constraint) => constraint.kind === 'primary key' && sameSet(constraint.columns, columns),
  );

const sameSet = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name) => b.includes(name));
