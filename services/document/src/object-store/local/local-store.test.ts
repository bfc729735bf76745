import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStore, newKey } from '../../../testing/object-store-suite.ts';
import { openTestLocalStore } from '../../../testing/test-local-store.ts';
import { localStore, setUpDirectories } from './local-store.ts';

describe('local store', () => {
  describeObjectStore(async () => {
    const local = await openTestLocalStore();
    // Permissions do not stop root, but a file in place of a directory stops any user.
    const root = await mkdtemp(join(tmpdir(), 'local-store-unavailable-'));
    for (const name of ['incoming', 'held', 'clean', 'unfinished']) await writeFile(join(root, name), '');
    return {
      store: local.store,
      unavailable: localStore(root),
      leftovers: local.leftovers,
      async close() {
        await local.close();
        await rm(root, { recursive: true, force: true });
      },
    };
  });

  it('never uses an invalid key as part of a path', async () => {
    const store = localStore('/nowhere');
    for (const key of ['../../etc/passwd', '', 'A'.repeat(32), `${newKey()}/x`, `${newKey()}\0`]) {
      await expect(store.stat('clean', key)).rejects.toThrow('invalid object key');
      await expect(store.read('clean', key, 'etag')).rejects.toThrow('invalid object key');
    }
  });

  it('removes unfinished files after an hour when it is set up again', async () => {
    const { root, leftovers, close } = await openTestLocalStore();
    for (const [name, ageS] of Object.entries({ old: 3_700, young: 3_500 })) {
      const path = join(root, 'unfinished', name);
      await writeFile(path, 'half');
      await utimes(path, Date.now() / 1_000 - ageS, Date.now() / 1_000 - ageS);
    }
    await setUpDirectories(root);
    expect(await leftovers()).toEqual(['young']);
    await close();
  });
});
