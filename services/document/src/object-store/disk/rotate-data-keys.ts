import { constants, copyFile, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type KeyRing, keyIdOf } from '@supplier/lib/data/crypto';
import type { KeyCount, RotatedValues } from '@supplier/lib/data/key-rotation';
import type { Area } from '../object-store.ts';
import { AREAS, type Layout, onFiles, syncDirectory, unlessAbsent } from './directory.ts';
import { listObjects } from './disk-store.ts';
import { type DescribedObject, encodeTrailer, readTrailer } from './object-trailer.ts';
import { unwrapDataKey, wrapDataKey } from './sealed-segments.ts';

const MAX_REST_MS = 1_000;

/** An object whose bytes are sealed. */
type SealedObject = DescribedObject & { readonly wrappedKey: string };

/**
 * Returns the rotation of a disk store's data keys, which the ring seals. An object is moved to the primary key by a
 * new file in place of the old one, with the same sealed bytes and a resealed data key. Readers, and a machine that
 * crashes meanwhile, see either file in full. An object removed at that moment may reappear as an orphan, which
 * `check-store` finds.
 */
export function rotatedDataKeys(layout: Layout, ring: KeyRing): RotatedValues {
  return {
    name: 'object',
    columns: [],
    async count() {
      const counts = new Map<string, number>();
      for await (const [area, key] of objectsOf(layout)) {
        const found = await described(layout.object(area, key));
        if (!found) continue;
        const id = keyIdOf(Buffer.from(found.wrappedKey, 'base64'));
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return [...counts].map(([id, values]): KeyCount => ({ purpose: 'seal', id, values, fixed: 0 }));
    },
    async rewrite({ dryRun, rewritten, failed }) {
      for await (const [area, key] of objectsOf(layout)) {
        const begun = performance.now();
        try {
          const done = await onFiles('seal a data key again', () =>
            resealed(layout, ring, { area, key, dryRun }),
          );
          if (!done) continue;
          rewritten(1);
        } catch (error) {
          failed(`object ${key}`, error);
        }
        if (!dryRun) await pause(Math.min(performance.now() - begun, MAX_REST_MS));
      }
    },
  };
}

async function* objectsOf(layout: Layout): AsyncGenerator<[Area, string]> {
  for (const area of AREAS) for await (const { key } of listObjects(layout, area)) yield [area, key];
}

/**
 * Returns the metadata of an object; undefined for one that is gone, incomplete, or stored before encryption was
 * introduced.
 */
async function described(path: string): Promise<SealedObject | undefined> {
  const file = await onFiles('open an object', () => unlessAbsent(() => open(path)));
  if (!file) return undefined;
  try {
    const found = await onFiles('read an object', () => readTrailer(file));
    return found?.wrappedKey === undefined ? undefined : { ...found, wrappedKey: found.wrappedKey };
  } finally {
    await file.close();
  }
}

/**
 * Resolves to whether the object was, or in a dry run would be, rewritten. Throws when its data key cannot be
 * decrypted.
 */
async function resealed(
  layout: Layout,
  ring: KeyRing,
  { area, key, dryRun }: { area: Area; key: string; dryRun: boolean },
): Promise<boolean> {
  const path = layout.object(area, key);
  const before = await unlessAbsent(() => stat(path));
  const found = await described(path);
  if (!before || !found || keyIdOf(Buffer.from(found.wrappedKey, 'base64')) === ring.primaryKeyId)
    return false;
  const dataKey = unwrapDataKey(ring, found.wrappedKey, found);
  if (dryRun) return true;
  const trailer = encodeTrailer(found, wrapDataKey(ring, dataKey, found));
  const temporary = layout.newTemporary();
  try {
    // Shares the bytes where the file system supports it.
    await copyFile(path, temporary, constants.COPYFILE_FICLONE);
    await withFile(temporary, async (file) => {
      await file.write(trailer, 0, trailer.length, before.size - trailer.length);
      await file.sync();
    });
    const now = await unlessAbsent(() => stat(path));
    if (now?.ino !== before.ino || now.size !== before.size) return false;
    await rename(temporary, path);
    await syncDirectory(layout.shard(area, key));
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function withFile(path: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
