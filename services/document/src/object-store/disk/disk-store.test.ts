import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStore } from '../../../testing/object-store-suite.ts';
import { openTestDiskStore } from '../../../testing/test-disk-store.ts';
import { diskStore } from './disk-store.ts';
import { AREAS, layoutOf } from './layout.ts';

describe('the disk store', () => {
  describeObjectStore(async () => {
    const disk = await openTestDiskStore();
    // Permissions do not bind root; a file where a folder should be stops everybody.
    const root = await mkdtemp(join(tmpdir(), 'disk-store-away-'));
    for (const folder of [...AREAS, 'temporary']) await writeFile(join(root, folder), '');
    return {
      store: disk.store,
      away: diskStore(layoutOf(root)),
      leftovers: disk.leftovers,
      async close() {
        await disk.close();
        await rm(root, { recursive: true, force: true });
      },
    };
  });
});
