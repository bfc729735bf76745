import { KeyRing } from '../data/crypto/index.ts';
import type { ValuesOf } from '../data/key-rotation/index.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * The same in every service: hashes of the audit log, and staff calls with an idempotency key, whose stored answers
 * contain no secrets.
 */
const NOT_UNDER_A_KEY = [
  'audit_seal.hash',
  'idempotent_call.key_sha256',
  'idempotent_call.request_sha256',
  'idempotent_call.answer',
];

/**
 * Declares tests that a service's rotated tables cover every bytes column of its database. `others` matches the columns
 * (`table.column`) that are neither sealed nor a keyed digest.
 */
export function testRotatedTables(serviceDir: URL, rotatedTables: ValuesOf, others: RegExp): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ serviceDir });
  });
  afterAll(() => database?.close());

  it('key rotation covers every bytes column, except those known to contain nothing sealed or hashed with a key', async () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    const ring = KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key }, digestKey: key }));
    const values = rotatedTables({ pool: database.pool, ring });
    const known = [...NOT_UNDER_A_KEY, ...values.flatMap(({ columns }) => columns)];
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'bytea'`,
    );
    const names = rows.map(({ name }) => name);
    expect(names.filter((name) => !known.includes(name) && !others.test(name))).toEqual([]);
    // The statements use existing columns.
    for (const { count } of values) expect(await count()).toEqual([]);
  });
}
