import { mkdir, open, rename } from 'node:fs/promises';
import type { Area } from '../object-store.ts';
import type { Layout } from './layout.ts';

/**
 * Gives a complete temporary file its place and makes that last: an object is there whole, or not at all. Replaces what
 * lies there.
 */
export async function publish(layout: Layout, temporary: string, area: Area, key: string): Promise<void> {
  const shard = layout.shard(area, key);
  // The folder of the area is never made here: where it is missing, the volume is, and nothing must be written beside it.
  if (await mkdir(shard).then(() => true, ignoreExisting)) await syncFolder(layout.area(area));
  await rename(temporary, layout.object(area, key));
  await syncFolder(shard);
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EEXIST') throw error;
  return false;
}
