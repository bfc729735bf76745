import { readFileSync } from 'node:fs';
import { databaseForTests, eventually, startTestProcess, type TestProcess } from '../../testing/index.ts';
import { KeyRing } from '../crypto/index.ts';
import { keysInUse, requireKeysInUse, retireKeys } from './keys-in-use.ts';

const SCHEMA = readFileSync(new URL('keys-in-use.sql', import.meta.url), 'utf8');

const database = databaseForTests({ schema: SCHEMA });
let process: TestProcess;
beforeEach(() => {
  process = startTestProcess('test');
});
afterEach(() => process.stop());

const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64');
/** Returns a ring of the named keys, whose bytes derive from their names. The first of each kind is primary. */
function ringOf(sealing: string, digest = 'd1', fill = 0): KeyRing {
  const keysOf = (ids: string) =>
    Object.fromEntries(ids.split(' ').map((id) => [id, bytes(fill + Number(id.slice(1)))]));
  const [primary, primaryDigestKey] = [sealing.split(' ')[0], digest.split(' ')[0]];
  return KeyRing.fromJson(
    JSON.stringify({ primary, keys: keysOf(sealing), primaryDigestKey, digestKeys: keysOf(digest) }),
  );
}
const start = (ring: KeyRing) => requireKeysInUse(process, database.pool, ring);
const inUse = async () =>
  (await keysInUse(database.pool)).map(({ purpose, id }) => `${purpose} ${id}`).sort();

describe('requireKeysInUse', () => {
  it('records the primary keys, and the whole ring on the first start', async () => {
    await start(ringOf('k1 k0'));
    expect(await inUse()).toEqual(['digest d1', 'seal k0', 'seal k1']);
    await start(ringOf('k1 k2 k0', 'd1 d2'));
    expect(await inUse()).toEqual(['digest d1', 'seal k0', 'seal k1']);
    await start(ringOf('k2 k1 k0', 'd2 d1'));
    expect(await inUse()).toEqual(['digest d1', 'digest d2', 'seal k0', 'seal k1', 'seal k2']);
  });

  it('rejects a ring that lacks a key in use, by name, until the key is retired', async () => {
    await start(ringOf('k1'));
    await start(ringOf('k2 k1', 'd2 d1'));
    await expect(start(ringOf('k2', 'd2 d1'))).rejects.toThrow(
      /SSS_KEY_RING_FILE lacks the seal key k1, which values in this database use/,
    );
    await expect(start(ringOf('k2 k1', 'd2'))).rejects.toThrow('lacks the digest key d1');
    await retireKeys(database.pool, [
      { purpose: 'seal', id: 'k1' },
      { purpose: 'digest', id: 'd1' },
    ]);
    await start(ringOf('k2', 'd2'));
    expect(await inUse()).toEqual(['digest d2', 'seal k2']);
  });

  it('rejects a ring whose key has different bytes from the key in use', async () => {
    await start(ringOf('k1'));
    await expect(start(ringOf('k1', 'd1', 100))).rejects.toThrow(
      /has different bytes for the (seal|digest) key/,
    );
    expect(await inUse()).toEqual(['digest d1', 'seal k1']);
  });
});

describe('requireKeysInUse before the database is migrated', () => {
  it('starts and records its keys when the tables exist', async () => {
    await database.pool.query('ALTER TABLE key_in_use RENAME TO later');
    await start(ringOf('k1'));
    await database.pool.query('ALTER TABLE later RENAME TO key_in_use');
    await eventually('the keys are entered', async () => (await inUse()).length === 2);
  });
});
