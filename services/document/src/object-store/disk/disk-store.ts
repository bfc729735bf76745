import { access, constants, rm, stat } from 'node:fs/promises';
import type { ObjectStore } from '../object-store.ts';
import { copyObject } from './copy-object.ts';
import { onFiles, unlessAbsent } from './file-errors.ts';
import { AREAS, type Layout } from './layout.ts';
import { listObjects } from './list-objects.ts';
import { readObject, statObject } from './read-object.ts';
import type { SignedLinks } from './signed-links.ts';

/**
 * Keeps objects as files of one folder. Without `links` it hands out no URLs: those work only where the upload listener
 * of the same key ring runs.
 */
export function diskStore(layout: Layout, links?: SignedLinks): ObjectStore {
  const signed = (): SignedLinks => {
    if (!links) throw new Error('this process hands out no URLs of the store');
    return links;
  };
  return {
    uploadUrl: async (upload) => signed().upload(upload),
    downloadUrl: async (download) => signed().download(download),
    stat: (area, key) => statObject(layout, area, key),
    read: (area, key, etag) => readObject(layout, area, key, etag),
    copy: (from, to) => copyObject(layout, from, to),
    remove: (area, key) =>
      onFiles('remove an object', async () => {
        const removed = await unlessAbsent(() => rm(layout.object(area, key)).then(() => true));
        if (!removed) await stat(layout.area(area));
      }),
    list: (area) => listObjects(layout, area),
    check: () =>
      onFiles('be written to', async () => {
        const folders = [layout.temporary, ...AREAS.map((area) => layout.area(area))];
        for (const folder of folders)
          await access(`${folder}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
      }),
  };
}
