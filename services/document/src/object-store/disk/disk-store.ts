import { access, constants, link, open, opendir, rm, stat } from 'node:fs/promises';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { type Area, type ListedObject, ObjectChanged, type ObjectStore } from '../object-store.ts';
import { AREAS, KEY, type Layout, onFiles, unlessAbsent } from './directory.ts';
import { readObject, statObject } from './object-file.ts';
import { readTrailer } from './object-trailer.ts';
import type { SignedLinks } from './signed-links.ts';
import { publish } from './write-object.ts';

/** What a process can do with a disk store besides finding, copying and removing objects. */
export interface DiskAccess {
  /** Decrypts object bytes; without it, no object can be read. */
  readonly keyRing?: KeyRing;
  /**
   * Issues URLs, which work only with an upload listener that uses the same key ring; without it, no URL can be issued.
   */
  readonly links?: SignedLinks;
}

/** Returns a store that keeps objects as sealed files in one directory. */
export function diskStore(layout: Layout, { keyRing, links }: DiskAccess = {}): ObjectStore {
  const signed = (): SignedLinks => {
    if (!links) throw new Error('this process issues no URLs of the object store');
    return links;
  };
  return {
    showsNames: false,
    uploadUrl: async (upload) => signed().upload(upload),
    downloadUrl: async (download) => signed().download(download),
    stat: (area, key) => statObject(layout, area, key),
    async read(area, key, etag) {
      if (!keyRing) throw new Error('this process opens no objects of the store');
      return readObject({ layout, keyRing }, { area, key, etag });
    },
    copy: (from, to) => copyObject(layout, from, to),
    remove: (area, key) =>
      onFiles('remove an object', async () => {
        const removed = await unlessAbsent(() => rm(layout.object(area, key)).then(() => true));
        if (!removed) await stat(layout.area(area));
      }),
    list: (area) => listObjects(layout, area),
    check: () =>
      onFiles('access its directories', async () => {
        const paths = [layout.temporary, ...AREAS.map((area) => layout.area(area))];
        for (const path of paths) await access(`${path}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
      }),
  };
}

/**
 * Copies the object with `etag` by hard-linking its file. A file is never modified once it is an object (an upload
 * always creates a new one), so a later upload under the first key does not affect the copy.
 */
function copyObject(
  layout: Layout,
  from: { area: Area; key: string; etag: string },
  to: { area: Area; key: string },
): Promise<string> {
  return onFiles('copy an object', async () => {
    const temporary = layout.newTemporary();
    await linkTo(layout, from, temporary);
    try {
      // Checks the linked file, not the key: an upload may have replaced the object meanwhile.
      if ((await etagOf(temporary)) !== from.etag) throw new ObjectChanged();
      await publish(layout, temporary, to.area, to.key);
    } finally {
      // Renaming one hard link over another to the same file leaves both.
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

/** Yields every object of an area, read from disk as the caller iterates. */
export async function* listObjects(layout: Layout, area: Area): AsyncGenerator<ListedObject> {
  for await (const shard of namesIn(layout.area(area), /^[0-9a-f]{2}$/)) {
    for await (const key of namesIn(`${layout.area(area)}/${shard}`, KEY)) {
      const found = await onFiles('stat an object', () => unlessAbsent(() => stat(layout.object(area, key))));
      if (!found?.isFile()) continue;
      const byteSize = (await statObject(layout, area, key))?.byteSize ?? 0;
      // The time of the link, not of the bytes: a copy is a link to an older file.
      yield { key, byteSize, storedAt: found.ctime };
    }
  }
}

async function* namesIn(path: string, form: RegExp): AsyncGenerator<string> {
  const directory = await onFiles('open a directory', () => opendir(path));
  try {
    for (;;) {
      const entry = await onFiles('read a directory', () => directory.read());
      if (!entry) return;
      if (form.test(entry.name)) yield entry.name;
    }
  } finally {
    await directory.close();
  }
}
