import type { ClientBase } from 'pg';

/** The contents of a database's schema `public`, each item as the SQL that creates it, ordered by name. */
export interface Catalogue {
  readonly types: readonly Statement[];
  readonly functions: readonly Statement[];
  readonly tables: readonly Table[];
}

export interface Statement {
  readonly name: string;
  readonly sql: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Primary key, unique, check and exclusion constraints, then foreign keys. */
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Statement[];
  readonly triggers: readonly Statement[];
  readonly unlogged: boolean;
  /** Storage parameters: `autovacuum_vacuum_threshold=5000`. */
  readonly options: readonly string[];
  /** `RANGE (event_id)` of a partitioned table. */
  readonly partitionedBy: string | null;
  /** The name of its default partition. Daily partitions come and go and aren't part of the schema. */
  readonly defaultPartition: string | null;
}

export interface Column {
  readonly name: string;
  /** As SQL writes it, `timestamp(3) with time zone`. */
  readonly type: string;
  readonly notNull: boolean;
  /** The expression of its default. */
  readonly default: string | null;
}

export interface Constraint extends Statement {
  readonly kind: 'primary key' | 'unique' | 'check' | 'foreign key' | 'exclusion';
}

/** The migration runner owns its history table. */
const OWN = `c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations'`;

/** Reads the schema. Throws when it contains an object that this module can't write. */
export async function readCatalogue(session: ClientBase): Promise<Catalogue> {
  const read = async <Row extends object>(sql: string) => (await session.query<Row>(sql)).rows;
  // Names in the schema `public` are written without it.
  await session.query('SET search_path = public');
  const unknown = await read<Statement>(UNKNOWN);
  if (unknown.length > 0)
    throw new Error(
      `the schema dump does not support these objects: ${unknown.map(({ name, sql }) => `${sql} ${name}`).join(', ')}`,
    );
  return {
    types: await read<Statement>(TYPES),
    functions: await read<Statement>(FUNCTIONS),
    tables: await read<Table>(TABLES),
  };
}

const TYPES = `
  SELECT t.typname AS name, format('CREATE TYPE %I AS ENUM (%s)', t.typname,
         (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid)) AS sql
    FROM pg_type t WHERE t.typtype = 'e' AND t.typnamespace = 'public'::regnamespace ORDER BY 1`;

const FUNCTIONS = `
  SELECT format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) AS name,
         rtrim(pg_get_functiondef(p.oid), E'\\n') AS sql
    FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace ORDER BY p.proname, pg_get_function_identity_arguments(p.oid) COLLATE "C"`;

const COLUMNS = `
  SELECT json_agg(json_build_object(
           'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
           'notNull', a.attnotnull, 'default', pg_get_expr(d.adbin, d.adrelid)) ORDER BY a.attnum)
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped`;

/** Constraint triggers are among the triggers. */
const CONSTRAINTS = `
  SELECT coalesce(json_agg(json_build_object(
           'name', k.conname, 'sql', pg_get_constraintdef(k.oid, true),
           'kind', CASE k.contype WHEN 'p' THEN 'primary key' WHEN 'u' THEN 'unique' WHEN 'c' THEN 'check'
                                  WHEN 'f' THEN 'foreign key' ELSE 'exclusion' END)
         ORDER BY array_position('{p,u,c,x,f}', k.contype::text), k.conname), '[]')
    FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype NOT IN ('n', 't')`;

const INDEXES = `
  SELECT coalesce(json_agg(json_build_object('name', i.relname, 'sql', pg_get_indexdef(i.oid, 0, true)) ORDER BY i.relname), '[]')
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
   WHERE x.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.conrelid = c.oid)`;

const TRIGGERS = `
  SELECT coalesce(json_agg(json_build_object('name', g.tgname, 'sql', pg_get_triggerdef(g.oid, true)) ORDER BY g.tgname), '[]')
    FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal`;

const DEFAULT_PARTITION = `
  SELECT p.relname FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhrelid
   WHERE h.inhparent = c.oid AND pg_get_expr(p.relpartbound, p.oid) = 'DEFAULT'`;

const TABLES = `
  SELECT c.relname AS name, (${COLUMNS}) AS columns, (${CONSTRAINTS}) AS constraints, (${INDEXES}) AS indexes,
         (${TRIGGERS}) AS triggers, c.relpersistence = 'u' AS unlogged, coalesce(to_json(c.reloptions), '[]') AS options,
         pg_get_partkeydef(c.oid) AS "partitionedBy", (${DEFAULT_PARTITION}) AS "defaultPartition"
    FROM pg_class c WHERE ${OWN} AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;

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
