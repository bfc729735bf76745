import type { ClientBase } from 'pg';

/** Returns the schema as one SQL script that creates it in an empty database. */
export const dumpSchema = (schema: ReadonlyMap<string, string>) =>
  [...schema.values()].map((sql) => `${sql};\n`).join('\n');

/**
 * Reads the schema `public`: the SQL that creates each object, by kind and name, in an order in which they can be created.
 * Throws when it contains an object that this module can't write.
 */
export async function readSchema(session: ClientBase): Promise<Map<string, string>> {
  const read = async (query: string) => (await session.query<{ name: string; sql: string }>(query)).rows;
  // Names in the schema `public` are written without it.
  await session.query('SET search_path = public');
  const unknown = await read(UNKNOWN);
  if (unknown.length > 0)
    throw new Error(
      `the schema dump does not support these objects: ${unknown.map(({ name, sql }) => `${sql} ${name}`).join(', ')}`,
    );
  const objects = new Map<string, string>();
  for (const query of [TYPES, FUNCTIONS, TABLES, FOREIGN_KEYS])
    for (const { name, sql } of await read(query)) objects.set(name, sql);
  return objects;
}

/** The migration runner owns its history table. */
const OWN = `c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations'`;
/** Daily partitions come and go and aren't part of the schema. */
const TABLE = `${OWN} AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

const TYPES = `
  SELECT 'type ' || t.typname AS name, format('CREATE TYPE %I AS ENUM (%s)', t.typname,
         (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid)) AS sql
    FROM pg_type t WHERE t.typtype = 'e' AND t.typnamespace = 'public'::regnamespace ORDER BY t.typname`;

const FUNCTIONS = `
  SELECT format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) AS name,
         rtrim(pg_get_functiondef(p.oid), E'\\n') AS sql
    FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace ORDER BY p.proname, pg_get_function_identity_arguments(p.oid) COLLATE "C"`;

/** Columns, then constraints. A column with its own sequence is written as `bigserial`. */
const LINES = `
  SELECT a.attnum::int AS place, ''::name AS name,
         CASE WHEN pg_get_expr(d.adbin, d.adrelid) = format('nextval(''%s_%s_seq''::regclass)', c.relname, a.attname)
              THEN format('%s %sserial NOT NULL', a.attname, CASE a.atttypid WHEN 'bigint'::regtype THEN 'big' END)
              ELSE concat(a.attname, ' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' NOT NULL' END,
                          ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) END AS line
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 10000 + array_position('{p,u,c,x}', k.contype::text), k.conname,
         format('CONSTRAINT %s %s', k.conname, pg_get_constraintdef(k.oid, true))
    FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'c', 'x')`;

const TABLES = `
  SELECT 'table ' || c.relname AS name, concat_ws(E';\\n',
    concat('CREATE ', CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' END, 'TABLE ', c.relname, E' (\\n',
      (SELECT string_agg('    ' || line, E',\\n' ORDER BY place, name) FROM (${LINES}) lines), E'\\n)',
      ' PARTITION BY ' || pg_get_partkeydef(c.oid),
      E' WITH (\\n' || (SELECT string_agg('    ' || replace(option, '=', ' = '), E',\\n') FROM unnest(c.reloptions) option) || E'\\n)'),
    (SELECT format('CREATE TABLE %s PARTITION OF %s DEFAULT', p.relname, c.relname)
       FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhrelid
      WHERE h.inhparent = c.oid AND pg_get_expr(p.relpartbound, p.oid) = 'DEFAULT'),
    (SELECT string_agg(pg_get_indexdef(i.oid, 0, true), E';\\n' ORDER BY i.relname)
       FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
      WHERE x.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.conrelid = c.oid)),
    (SELECT string_agg(pg_get_triggerdef(g.oid, true), E';\\n' ORDER BY g.tgname)
       FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal)) AS sql
    FROM pg_class c WHERE ${TABLE} ORDER BY c.relname`;

const FOREIGN_KEYS = `
  SELECT 'foreign key ' || k.conname AS name,
         format(E'ALTER TABLE %s ADD CONSTRAINT %s\\n    %s', c.relname, k.conname, pg_get_constraintdef(k.oid, true)) AS sql
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE ${TABLE} AND k.contype = 'f' ORDER BY c.relname, k.conname`;

/** Kinds of objects that no migration has created yet. A migration that does must extend this module. */
const UNKNOWN = `
  SELECT c.relname AS name, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'c' THEN 'composite type'
         WHEN 'f' THEN 'foreign table' ELSE 'grants on' END AS sql
    FROM pg_class c WHERE ${OWN} AND (c.relkind IN ('v', 'm', 'c', 'f') OR c.relacl IS NOT NULL)
  UNION ALL
  SELECT c.relname, 'sequence that belongs to no column, or has another name than its column gives it'
    FROM pg_class c WHERE ${OWN} AND c.relkind = 'S' AND NOT EXISTS (
      SELECT FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
             JOIN pg_class o ON o.oid = d.refobjid
       WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'a'
         AND c.relname = o.relname || '_' || a.attname || '_seq')
  UNION ALL
  SELECT c.relname || '.' || a.attname, 'generated or identity column'
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
   WHERE ${OWN} AND (a.attidentity <> '' OR a.attgenerated <> '')
  UNION ALL
  SELECT c.relname, 'row security of' FROM pg_class c WHERE ${OWN} AND c.relrowsecurity
  UNION ALL
  SELECT c.relname, 'rule on' FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE ${OWN}
  UNION ALL
  SELECT c.relname, 'parent of' FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
   WHERE ${OWN} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  UNION ALL
  SELECT c.relname, 'disabled trigger on' FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid WHERE ${OWN} AND g.tgenabled <> 'O'
  UNION ALL
  SELECT x.stxname, 'statistics' FROM pg_statistic_ext x WHERE x.stxnamespace = 'public'::regnamespace
  UNION ALL
  SELECT p.proname, 'grants on' FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proacl IS NOT NULL
  UNION ALL
  SELECT t.typname, 'domain or range' FROM pg_type t WHERE t.typnamespace = 'public'::regnamespace AND t.typtype IN ('d', 'r')
  UNION ALL
  SELECT e.extname, 'extension' FROM pg_extension e WHERE e.extname <> 'plpgsql'
  UNION ALL
  SELECT n.nspname, 'schema' FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('public', 'information_schema')`;
