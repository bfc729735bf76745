import { link, open, rm, stat } from 'node:fs/promises';
import { type Area, ObjectChanged } from '../object-store.ts';
import { onFiles, unlessAbsent } from './file-errors.ts';
import type { Layout } from './layout.ts';
import { publish } from './publish.ts';
import { readTrailer } from './trailer.ts';

/**
 * Copies the object of `etag` by a second link to its file. Nothing writes to a file once it is an object (an upload
 * always makes a new one), so whatever is uploaded under the first name later, the second keeps what it was made of.
 */
export function copyObject(
  layout: Layout,
  from: { area: Area; key: string; etag: string },
  to: { area: Area; key: string },
): Promise<string> {
  return onFiles('copy an object', async () => {
    const temporary = layout.newTemporary();
    await linkTo(layout, from, temporary);
    try {
      // What was linked is looked at, not the name: that may mean another object by now.
      if ((await etagOf(temporary)) !== from.etag) throw new ObjectChanged();
      await publish(layout, temporary, to.area, to.key);
    } finally {
      // A rename of one link over another of the same file leaves both.
      await rm(temporary, { force: true });
    }
    return from.etag;
  });
}

async function linkTo(
  layout: Layout,
  { area, key }: { area: Area; key: string },
  temporary: string,
): Promise<void> {
  const linked = await unlessAbsent(() => link(layout.object(area, key), temporary).then(() => true));
  if (linked) return;
  await Promise.all([stat(layout.area(area)), stat(layout.temporary)]);
  throw new ObjectChanged();
}

async function etagOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    return (await readTrailer(file))?.etag;
  } finally {
    await file.close();
  }
}
