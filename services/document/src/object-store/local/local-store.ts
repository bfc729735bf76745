import { createHash, randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import {
  type Area,
  type ListedObject,
  ObjectChanged,
  type ObjectStore,
  type StoredObject,
  StoreUnavailable,
} from '../object-store.ts';
import type { SignedLinks } from './signed-links.ts';

const AREAS = ['incoming', 'held', 'clean'] as const satisfies readonly Area[];
/** Keys are random hexadecimal digits; no other input becomes part of a path. */
export const KEY = /^[0-9a-f]{16,128}$/;
/** The directory of files that are being written. */
const UNFINISHED = 'unfinished';
/** Longer than any transfer may take. */
const ABANDONED_AFTER_MS = 3_600_000;
/** A file starts with its object's content type and ETag as JSON, padded to this length. */
const HEADER_BYTES = 512;
const headerShape = z.strictObject({ contentType: z.string(), etag: z.string() });

/** An object and the area it belongs to. */
interface Place {
  readonly area: Area;
  readonly key: string;
}

/**
 * Returns a store that keeps each object in the file `<root>/<area>/<key>`, unencrypted and not synced to disk: for
 * local stacks, tests and trial installs only. It issues URLs if it has `links`.
 */
export function localStore(root: string, links?: SignedLinks): ObjectStore {
  const signed = (): SignedLinks => {
    if (!links) throw new Error('this process cannot issue URLs of the object store');
    return links;
  };
  return {
    uploadUrl: async (upload) => signed().upload(upload),
    downloadUrl: async (download) => signed().download(download),
    stat: (area, key) => statObject(root, { area, key }),
    read: async (area, key, etag) => (await readObject(root, { area, key }, etag)).bytes,
    copy: (from, to) =>
      onFiles('copy an object', async () => {
        const { object, bytes } = await readObject(root, from, from.etag);
        return writeObject(root, { ...object, ...to }, bytes).finally(() => bytes.destroy());
      }),
    remove: (area, key) =>
      onFiles('remove an object', async () => {
        await access(join(root, area));
        await rm(pathOf(root, { area, key }), { force: true });
      }),
    list: (area) => listObjects(root, area),
    check: () =>
      onFiles('access its directories', async () => {
        for (const name of [UNFINISHED, ...AREAS])
          await access(join(root, name, '.'), constants.R_OK | constants.W_OK | constants.X_OK);
      }),
  };
}

/** Creates the directories of the store, and removes what processes that were killed had not finished. */
export function setUpDirectories(root: string): Promise<void> {
  return onFiles('create its directories', async () => {
    for (const name of [UNFINISHED, ...AREAS])
      await mkdir(join(root, name), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(root, UNFINISHED))) {
      const path = join(root, UNFINISHED, name);
      const found = await stat(path).catch(ignoreAbsent);
      if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  });
}

/**
 * Stores the bytes of `source` as an object, in full or not at all, and resolves to its ETag, the SHA-256 of its bytes.
 * Replaces an existing object. Rejects when the source fails or does not have `byteSize` bytes.
 */
export async function writeObject(
  root: string,
  { contentType, byteSize, ...place }: Place & { readonly contentType: string; readonly byteSize: number },
  source: AsyncIterable<Uint8Array>,
): Promise<string> {
  const path = pathOf(root, place);
  const unfinished = join(root, UNFINISHED, randomUUID());
  const file = await onFiles('create a file', () => open(unfinished, 'wx', 0o600));
  const write = (bytes: Uint8Array) => onFiles('write an object', () => file.writeFile(bytes));
  try {
    await write(Buffer.alloc(HEADER_BYTES));
    const hash = createHash('sha256');
    let received = 0;
    for await (const chunk of source) {
      received += chunk.length;
      if (received > byteSize) break;
      hash.update(chunk);
      await write(chunk);
    }
    if (received !== byteSize) throw new Error(`invariant violated: object is not ${byteSize} bytes long`);
    const etag = hash.digest('hex');
    const header = Buffer.from(JSON.stringify({ contentType, etag }).padEnd(HEADER_BYTES));
    if (header.length !== HEADER_BYTES) throw new Error('content type too long for the header of an object');
    await onFiles('finish an object', async () => {
      await file.write(header, 0, HEADER_BYTES, 0);
      await rename(unfinished, path);
    });
    return etag;
  } finally {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true }).catch(() => {});
  }
}

interface OpenObject {
  readonly file: FileHandle;
  readonly object: StoredObject;
}

function statObject(root: string, place: Place): Promise<StoredObject | undefined> {
  return onFiles('stat an object', async () => {
    const found = await openObject(root, place);
    await found?.file.close();
    return found?.object;
  });
}

async function readObject(
  root: string,
  place: Place,
  etag: string,
): Promise<{ object: StoredObject; bytes: Readable }> {
  const found = await onFiles('read an object', () => openObject(root, place));
  if (found?.object.etag === etag)
    return { object: found.object, bytes: found.file.createReadStream({ start: HEADER_BYTES }) };
  await found?.file.close();
  throw new ObjectChanged();
}

async function openObject(root: string, place: Place): Promise<OpenObject | undefined> {
  const file = await open(pathOf(root, place)).catch(ignoreAbsent);
  if (!file) {
    // Throws if the area is missing: then the store is, and the object may well exist.
    await access(join(root, place.area));
    return undefined;
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await file.read(header, 0, HEADER_BYTES, 0);
    const { size } = await file.stat();
    return {
      file,
      object: { byteSize: size - HEADER_BYTES, ...headerShape.parse(JSON.parse(header.toString())) },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* listObjects(root: string, area: Area): AsyncGenerator<ListedObject> {
  const names = await onFiles('list objects', () => readdir(join(root, area)));
  for (const key of names.filter((name) => KEY.test(name))) {
    const found = await onFiles('list objects', () => stat(join(root, area, key)).catch(ignoreAbsent));
    if (found) yield { key, byteSize: found.size - HEADER_BYTES, storedAt: found.mtime };
  }
}

function pathOf(root: string, { area, key }: Place): string {
  if (!KEY.test(key)) throw new Error('invalid object key');
  return join(root, area, key);
}

/** Runs file system work, and turns its failures (full, read-only, missing) into StoreUnavailable. */
async function onFiles<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? new StoreUnavailable(what, error) : error;
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
