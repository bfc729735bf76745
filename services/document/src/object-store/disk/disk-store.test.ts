import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStore } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore } from '../../../testing/test-disk-store.ts';
import { AREAS, layoutOf } from './directory.ts';
import { diskStore } from './disk-store.ts';

describe('disk store', () => {
  describeObjectStore(async () => {
    const disk = await openTestDiskStore();
    // Permissions do not stop root, but a file in place of a directory stops any user.
    const root = await mkdtemp(join(tmpdir(), 'disk-store-unavailable-'));
    for (const name of [...AREAS, 'temporary']) await writeFile(join(root, name), '');
    return {
      store: disk.store,
      unavailable: diskStore(layoutOf(root), { keyRing: disk.keyRing }),
      leftovers: disk.leftovers,
      async close() {
        await disk.close();
        await rm(root, { recursive: true, force: true });
      },
    };
  });
});
