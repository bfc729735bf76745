import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type AssociatedData, headerOf, type KeyPurpose, type KeyRing } from '../crypto/index.ts';
import { enqueue, inTransaction } from '../postgres/index.ts';

/** Rows locked per transaction. The service waits for them for some milliseconds. */
const BATCH = 200;
const MAX_REST_MS = 1_000;

/** Digests of one row that are computed together from one sealed value. */
export interface RotatedDigests<Row> {
  readonly columns: readonly string[];
  /** The column with the id of the digests' key. */
  readonly keyColumn: string;
  /** The sealed column that the digests are computed from. */
  readonly from: string;
  /**
   * Computes the digests for `columns` under the primary key, also from other sealed columns, which `open` returns.
   * Columns that are null stay null.
   */
  readonly make: (
    ring: KeyRing,
    opened: Uint8Array,
    row: Row,
    open: (column: string) => Uint8Array | undefined,
  ) => readonly (Uint8Array | null)[];
}

export interface RotatedTable<Row> {
  readonly table: string;
  /** The names and types of the primary key's columns; the first is a uuid. */
  readonly key: Readonly<Record<string, string>>;
  /** The sealed columns and the associated data of each value. */
  readonly sealed: Readonly<Record<string, (row: Row) => AssociatedData>>;
  readonly digests?: readonly RotatedDigests<Row>[];
  readonly reads?: readonly string[];
}

type Columns = Readonly<Record<string, unknown>>;

export interface KeyCount {
  readonly purpose: KeyPurpose;
  readonly id: string;
  readonly values: number;
  /** The values that cannot be recomputed under another key, because their source was never stored. */
  readonly fixed: number;
}

export interface Rotation {
  /** Computes everything but writes nothing. */
  readonly dryRun: boolean;
  /** Called with the number of rows rewritten per batch, and with the location of each row that failed. */
  rewritten(count: number): void;
  failed(where: string, error: unknown): void;
}

export interface RotatedValues {
  readonly name: string;
  /** The database columns that it covers, as `table.column`. */
  readonly columns: readonly string[];
  /** Counts values by key. Reads everything. */
  count(): Promise<KeyCount[]>;
  /** Moves values under other keys to the primary key, in one pass. Can be repeated; skips locked rows. */
  rewrite(rotation: Rotation): Promise<void>;
}

/**
 * Rotates the values of a table. Locks, rewrites and commits batches of 200 rows in primary key order. It skips locked
 * rows, so that it neither waits for the service nor deadlocks with it, and pauses after each batch for as long as the
 * batch took (at most 1 s). A value that does not open is reported and left unchanged.
 */
export function rotatedTable<Row extends object>(
  pool: pg.Pool,
  ring: KeyRing,
  table: RotatedTable<Row>,
): RotatedValues {
  const statements = statementsOf(table, ring);

  async function batch(cursor: readonly unknown[] | undefined, rotation: Rotation) {
    return inTransaction(pool, async (tx) => {
      enqueue(tx, { text: 'SET LOCAL enable_seqscan = off' });
      enqueue(tx, { text: 'SET LOCAL enable_bitmapscan = off' });
      const { rows } = await tx.query<Row & Columns>(statements.select(cursor, rotation.dryRun));
      const renewed = rows.flatMap((row) => {
        try {
          return [rewrittenRow(ring, table, row)];
        } catch (error) {
          rotation.failed(`${table.table} ${row[statements.keys[0] ?? '']}`, error);
          return [];
        }
      });
      if (renewed.length > 0 && !rotation.dryRun) enqueue(tx, statements.update(renewed));
      const last = rows.at(-1);
      return { count: renewed.length, cursor: last && statements.keys.map((name) => last[name]) };
    });
  }

  return {
    name: table.table,
    columns: statements.names.map((name) => `${table.table}.${name}`),
    async count() {
      const { rows } = await pool.query<{ purpose: KeyPurpose; id: string; values: string; fixed: string }>(
        statements.count,
      );
      return rows.map((row) => ({ ...row, values: Number(row.values), fixed: Number(row.fixed) }));
    },
    async rewrite(rotation) {
      for (let cursor: readonly unknown[] | undefined, more = true; more; ) {
        const startedAt = performance.now();
        const done = await batch(cursor, rotation);
        if (done.count > 0) rotation.rewritten(done.count);
        cursor = done.cursor;
        more = cursor !== undefined;
        if (more) await pause(Math.min(performance.now() - startedAt, MAX_REST_MS));
      }
    },
  };
}

/** Returns the row with all values under the primary keys; values already under them are unchanged. */
function rewrittenRow<Row>(
  ring: KeyRing,
  { sealed, digests = [] }: RotatedTable<Row>,
  row: Row & Columns,
): Columns {
  const renewed: Record<string, unknown> = { ...row };
  const opened = new Map<string, Uint8Array>();
  const open = (column: string): Uint8Array | undefined => {
    const value = row[column] as Buffer | null;
    const aad = sealed[column];
    if (!value || value.length === 0 || !aad) return undefined;
    const plain = opened.get(column) ?? ring.open(value, aad(row));
    opened.set(column, plain);
    return plain;
  };
  const header = headerOf(ring.primaryKeyId);
  for (const [column, aad] of Object.entries(sealed)) {
    if ((row[column] as Buffer | null)?.subarray(0, header.length).equals(header)) continue;
    const plain = open(column);
    if (plain) renewed[column] = ring.seal(plain, aad(row));
  }
  for (const { columns, keyColumn, from, make } of digests) {
    const plain = row[keyColumn] === ring.digestKeyId ? undefined : open(from);
    if (!plain) continue;
    const made = make(ring, plain, row, open);
    columns.forEach((column, index) => {
      renewed[column] = row[column] === null ? null : made[index];
    });
    renewed[keyColumn] = ring.digestKeyId;
  }
  return renewed;
}

function statementsOf<Row>(
  { table, key, sealed, digests = [], reads = [] }: RotatedTable<Row>,
  ring: KeyRing,
) {
  const keys = Object.keys(key);
  const keyNames = keys.join(', ');
  const columns = {
    ...Object.fromEntries(Object.keys(sealed).map((name) => [name, 'bytea'])),
    ...Object.fromEntries(digests.flatMap((group) => group.columns.map((name) => [name, 'bytea']))),
    ...Object.fromEntries(digests.map(({ keyColumn }) => [keyColumn, 'text'])),
  };
  const names = Object.keys(columns);
  const header = headerOf(ring.primaryKeyId);
  const some = (group: RotatedDigests<Row>) => `num_nonnulls(${group.columns.join(', ')}) > 0`;
  const due = [
    ...Object.keys(sealed).map(
      (name) => `(octet_length(${name}) > 0 AND substring(${name} FOR ${header.length}) <> $1::bytea)`,
    ),
    ...digests.map(
      (group) => `(${group.keyColumn} <> $2 AND ${some(group)} AND octet_length(${group.from}) > 0)`,
    ),
  ].join(' OR ');
  const types = { ...key, ...columns };

  return {
    keys,
    names,
    select(cursor: readonly unknown[] | undefined, dryRun: boolean): pg.QueryConfig {
      const after = cursor
        ? `(${keyNames}) > (${keys.map((_, index) => `$${index + 3}`).join(', ')}) AND`
        : '';
      return {
        text: `SELECT ${[...keys, ...names, ...reads].join(', ')} FROM ${table}
                WHERE ${after} $2::text IS NOT NULL AND (${due})
                ORDER BY ${keyNames} LIMIT ${BATCH} ${dryRun ? '' : 'FOR UPDATE SKIP LOCKED'}`,
        values: [header, ring.digestKeyId, ...(cursor ?? [])],
      };
    },
    update(rows: readonly Columns[]): pg.QueryConfig {
      const given = Object.entries(types).map(([, type], index) => `$${index + 1}::${type}[]`);
      return {
        text: `UPDATE ${table} SET ${names.map((name) => `${name} = g.${name}`).join(', ')}
                 FROM unnest(${given.join(', ')}) AS g(${Object.keys(types).join(', ')})
                WHERE ${keys.map((name) => `${table}.${name} = g.${name}`).join(' AND ')}`,
        values: Object.keys(types).map((name) => rows.map((row) => row[name])),
      };
    },
    /** Reads the table once. Finds the key of each value and, for digests, whether they can be recomputed. */
    count: `SELECT v.purpose, v.id, sum(v.n) AS values, sum(v.n) FILTER (WHERE v.fixed) AS fixed
      FROM ${table} t CROSS JOIN LATERAL (VALUES ${[
        ...Object.keys(sealed).map(
          (name) =>
            `('seal', CASE WHEN octet_length(${name}) > 2
                THEN encode(substring(${name} FROM 3 FOR get_byte(${name}, 1)), 'escape') END, 1, false)`,
        ),
        ...digests.map(
          (group) =>
            `('digest', CASE WHEN ${some(group)} THEN ${group.keyColumn} END, num_nonnulls(${group.columns.join(', ')}),
                coalesce(octet_length(${group.from}), 0) = 0)`,
        ),
      ].join(', ')}) AS v(purpose, id, n, fixed)
      WHERE v.id IS NOT NULL GROUP BY v.purpose, v.id`,
  };
}
