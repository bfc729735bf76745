import { databaseForTests } from '../../testing/index.ts';
import { KeyRing } from '../crypto/index.ts';
import { type RotatedValues, rotatedTable } from './rotated-table.ts';

const SCHEMA = `CREATE TABLE secret (
  id uuid PRIMARY KEY, other integer NOT NULL DEFAULT 0, value bytea, digest bytea, second bytea,
  digest_key text NOT NULL DEFAULT 'd1')`;

const ringOf = (sealing: string[], digest: string[]) => {
  const keysOf = (ids: string[]) =>
    Object.fromEntries(ids.map((id) => [id, Buffer.alloc(32, id).toString('base64')]));
  const [primary, primaryDigestKey] = [sealing[0], digest[0]];
  return KeyRing.fromJson(
    JSON.stringify({ primary, keys: keysOf(sealing), primaryDigestKey, digestKeys: keysOf(digest) }),
  );
};
const OLD = ringOf(['k1'], ['d1']);
const BOTH = ringOf(['k22', 'k1'], ['d2', 'd1']);
const NEW = ringOf(['k22'], ['d2']);
const aad = ({ id }: { id: string }) => ({ table: 'secret', column: 'value', row: id });
const idOf = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;

const database = databaseForTests({ schema: SCHEMA });

async function fill(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({ id: idOf(n), plain: Buffer.from(`secret ${n}`) }));
  await database.pool.query(
    'INSERT INTO secret (id, value, digest) SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::bytea[])',
    [
      rows.map(({ id }) => id),
      rows.map((row) => OLD.seal(row.plain, aad(row))),
      rows.map(({ plain }) => OLD.digest('test', plain)),
    ],
  );
}

const tableUnder = (ring: KeyRing): RotatedValues =>
  rotatedTable<{ id: string }>(database.pool, ring, {
    table: 'secret',
    key: { id: 'uuid' },
    sealed: { value: aad },
    digests: [
      {
        columns: ['digest', 'second'],
        keyColumn: 'digest_key',
        from: 'value',
        make: (keyRing, plain) => [keyRing.digest('test', plain), keyRing.digest('second', plain)],
      },
    ],
  });

async function rewrite(ring: KeyRing, { dryRun = false } = {}) {
  const failures: string[] = [];
  let rewritten = 0;
  await tableUnder(ring).rewrite({
    dryRun,
    rewritten: (count) => {
      rewritten += count;
    },
    failed: (where) => failures.push(where),
  });
  return { rewritten, failures };
}

const counts = async () =>
  (await tableUnder(BOTH).count())
    .map(({ purpose, id, values, fixed }) => `${purpose} ${id}: ${values}${fixed ? ` (${fixed} fixed)` : ''}`)
    .sort();

/** Returns the number of rows that open and match their digest under only the new keys. */
async function readable(): Promise<number> {
  const { rows } = await database.pool.query('SELECT id, value, digest FROM secret');
  return rows.filter((row) => NEW.isDigest(row.digest, 'test', NEW.open(row.value, aad(row)))).length;
}

describe('rotatedTable', () => {
  it('counts values by key and rewrites the table so that it needs only the new keys', async () => {
    await fill(450);
    expect(await counts()).toEqual(['digest d1: 450', 'seal k1: 450']);
    expect(await rewrite(BOTH)).toEqual({ rewritten: 450, failures: [] });
    expect(await counts()).toEqual(['digest d2: 450', 'seal k22: 450']);
    expect(await readable()).toBe(450);
    expect(await rewrite(BOTH)).toEqual({ rewritten: 0, failures: [] });
  });

  it('lets two concurrent runs share the work', async () => {
    await fill(900);
    const both = await Promise.all([rewrite(BOTH), rewrite(BOTH)]);
    const rest = await rewrite(BOTH);
    expect(both.reduce((sum, { rewritten }) => sum + rewritten, rest.rewritten)).toBe(900);
    expect(await readable()).toBe(900);
  });

  it('skips rows that the service has locked, without waiting', async () => {
    await fill(10);
    const service = await database.pool.connect();
    await service.query('BEGIN');
    await service.query('UPDATE secret SET other = 1 WHERE id = $1', [idOf(3)]);
    expect(await rewrite(BOTH)).toEqual({ rewritten: 9, failures: [] });
    await service.query('COMMIT');
    service.release();
    expect(await rewrite(BOTH)).toEqual({ rewritten: 1, failures: [] });
    const { rows } = await database.pool.query('SELECT id FROM secret WHERE other = 1');
    expect([rows.length, await readable()]).toEqual([1, 10]);
  });

  it('changes nothing in a dry run', async () => {
    await fill(5);
    expect(await rewrite(BOTH, { dryRun: true })).toEqual({ rewritten: 5, failures: [] });
    expect(await counts()).toEqual(['digest d1: 5', 'seal k1: 5']);
  });

  it('continues past a value that does not open and names its row', async () => {
    await fill(5);
    await database.pool.query(
      'UPDATE secret SET value = (SELECT value FROM secret WHERE id = $1) WHERE id = $2',
      [idOf(1), idOf(2)],
    );
    expect(await rewrite(BOTH)).toEqual({ rewritten: 4, failures: [`secret ${idOf(2)}`] });
    expect(await counts()).toEqual(['digest d1: 1', 'digest d2: 4', 'seal k1: 1', 'seal k22: 4']);
  });

  it('reports every row and changes nothing if the ring lacks the old key', async () => {
    await fill(2);
    expect(await rewrite(NEW)).toEqual({
      rewritten: 0,
      failures: [`secret ${idOf(0)}`, `secret ${idOf(1)}`],
    });
    expect(await counts()).toEqual(['digest d1: 2', 'seal k1: 2']);
  });

  it('leaves out each digest that was left out on purpose, beside others of its row', async () => {
    await fill(3);
    await database.pool.query('UPDATE secret SET second = digest, digest = NULL WHERE id = $1', [idOf(1)]);
    await database.pool.query('UPDATE secret SET second = digest WHERE id = $1', [idOf(2)]);
    expect(await rewrite(BOTH)).toEqual({ rewritten: 3, failures: [] });
    const { rows } = await database.pool.query(
      'SELECT digest IS NULL AS digest, second IS NULL AS second, digest_key FROM secret ORDER BY id',
    );
    expect(rows).toEqual([
      { digest: false, second: true, digest_key: 'd2' },
      { digest: true, second: false, digest_key: 'd2' },
      { digest: false, second: false, digest_key: 'd2' },
    ]);
  });

  it('keeps erased values erased and reports digests whose source is gone', async () => {
    await fill(3);
    await database.pool.query('UPDATE secret SET value = NULL, digest = NULL WHERE id = $1', [idOf(0)]);
    await database.pool.query('UPDATE secret SET value = NULL WHERE id = $1', [idOf(1)]);
    expect(await rewrite(BOTH)).toEqual({ rewritten: 1, failures: [] });
    expect(await counts()).toEqual(['digest d1: 1 (1 fixed)', 'digest d2: 1', 'seal k22: 1']);
    const { rows } = await database.pool.query('SELECT digest FROM secret WHERE id = $1', [idOf(0)]);
    expect(rows).toEqual([{ digest: null }]);
  });
});
