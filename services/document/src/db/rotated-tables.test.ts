import { KeyRing } from '@supplier/lib/crypto';
import { byteColumns, createTestDatabase, type TestDatabase } from '@supplier/lib/testing';
import { rotatedTables } from './rotated-tables.ts';

/** Columns of bytes that are neither sealed nor a keyed digest. */
const OTHERS = /\.envelope$|^key_in_use\./;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ serviceDir: new URL('../../', import.meta.url) });
});
afterAll(() => database?.close());

it('every column of bytes comes under the primary keys, unless it is known to hold nothing under a key', async () => {
  const key = Buffer.alloc(32, 1).toString('base64');
  const ring = KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key }, digestKey: key }));
  const rotated = rotatedTables({ pool: database.pool, ring }).flatMap(({ columns }) => columns);
  const columns = await byteColumns(database.pool, OTHERS);
  expect(columns.filter((name) => !rotated.includes(name))).toEqual([]);
  // The statements name columns that are there.
  for (const values of rotatedTables({ pool: database.pool, ring })) expect(await values.count()).toEqual([]);
});
