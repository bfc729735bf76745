import { mkdir } from 'node:fs/promises';
import { onFiles } from './file-errors.ts';
import { AREAS, type Layout } from './layout.ts';
import { syncFolder } from './publish.ts';

/** Makes the folders of the store, readable by their owner only. Leaves alone what is there. */
export function setUpFolders(layout: Layout): Promise<void> {
  return onFiles('be set up', async () => {
    for (const folder of [layout.root, layout.temporary, ...AREAS.map((area) => layout.area(area))])
      await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(layout.root);
  });
}
