import { opendir, stat } from 'node:fs/promises';
import type { Area, ListedObject } from '../object-store.ts';
import { onFiles, unlessAbsent } from './file-errors.ts';
import { KEY, type Layout } from './layout.ts';
import { TRAILER_LENGTH } from './trailer.ts';

/** Every object of an area, read as it is asked for. */
export async function* listObjects(layout: Layout, area: Area): AsyncGenerator<ListedObject> {
  for await (const shard of namesIn(layout.area(area), /^[0-9a-f]{2}$/)) {
    for await (const key of namesIn(`${layout.area(area)}/${shard}`, KEY)) {
      const found = await onFiles('look at an object', () =>
        unlessAbsent(() => stat(layout.object(area, key))),
      );
      if (!found?.isFile()) continue;
      // When the name came to be, not the bytes: those may be a link to something older.
      yield { key, byteSize: Math.max(0, found.size - TRAILER_LENGTH), storedAt: found.ctime };
    }
  }
}

async function* namesIn(path: string, form: RegExp): AsyncGenerator<string> {
  const folder = await onFiles('open a folder', () => opendir(path));
  try {
    for (;;) {
      const entry = await onFiles('read a folder', () => folder.read());
      if (!entry) return;
      if (form.test(entry.name)) yield entry.name;
    }
  } finally {
    await folder.close();
  }
}
