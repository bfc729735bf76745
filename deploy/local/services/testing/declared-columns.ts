/**
 * A column as `information_schema.columns` reports it: `uuid`, `uuid?` when it may be null, `_text` for a list, whose
 * nullability a schema doesn't declare.
 */
export type Columns = Readonly<Record<string, string>>;

/** PostgreSQL types by the scalar or native type in a schema. */
const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'bool',
  Int: 'int4',
  BigInt: 'int8',
  Float: 'float8',
  Decimal: 'numeric',
  DateTime: 'timestamp',
  Json: 'jsonb',
  Bytes: 'bytea',
  Uuid: 'uuid',
  Timestamptz: 'timestamptz',
  SmallInt: 'int2',
  Real: 'float4',
  VarChar: 'varchar',
  Char: 'bpchar',
  Date: 'date',
  Inet: 'inet',
};

/** Returns the tables that a Prisma schema declares, with their columns. Throws for an unknown type. */
export function declaredColumns(schema: string): Record<string, Columns> {
  const blocks = [...schema.matchAll(/^\s*(model|enum)\s+(\w+)\s*\{([^}]*)\}/gm)].map(
    ([, kind, name = '', body = '']) => ({
      kind,
      name,
      body,
      mapped: /@@map\("([^"]+)"\)/.exec(body)?.[1] ?? name,
    }),
  );
  const models = blocks.filter(({ kind }) => kind === 'model');
  const enums = new Map(
    blocks.filter(({ kind }) => kind === 'enum').map(({ name, mapped }) => [name, mapped]),
  );
  const isRelation = (type: string) => models.some(({ name }) => name === type);

  return Object.fromEntries(
    models.map(({ mapped, body }) => {
      const fields = body
        .split('\n')
        .map((line) => /^\s*(\w+)\s+(\w+)(\[\])?(\?)?(.*)$/.exec(line.replace(/\/\/.*$/, '')))
        .flatMap((field) => (field ? [field] : []))
        .filter(([, , type = '']) => !isRelation(type));
      return [mapped, Object.fromEntries(fields.map((field) => column(field, enums)))];
    }),
  );
}

function column(field: RegExpExecArray, enums: ReadonlyMap<string, string>): [string, string] {
  const [, name = '', scalar = '', list, optional, attributes = ''] = field;
  const named = /@db\.(\w+)/.exec(attributes)?.[1] ?? scalar;
  const type = enums.get(named) ?? TYPES[named];
  if (!type) throw new Error(`${name} has the type ${named}, which has no counterpart here`);
  const mapped = /@map\("([^"]+)"\)/.exec(attributes)?.[1] ?? name;
  return [mapped, `${list ? '_' : ''}${type}${optional ? '?' : ''}`];
}
