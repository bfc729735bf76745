import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import type { Area } from '../object-store.ts';
import { type Layout, onFiles, syncDirectory } from './directory.ts';
import { encodeTrailer } from './object-file.ts';

/** Two of these per upload: one fills while the other is written. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Writes what `source` yields as the incoming object `key` and resolves to its ETag, the SHA-256 of its bytes, once it
 * is synced to the disk. Memory: 128 KiB, whatever the size. Always makes a new file: an existing object, and every
 * hard link to it, stays as it is. Rejects, and leaves no file behind, when the source fails or yields another number
 * of bytes; rejects with StoreUnavailable when the file system refuses.
 */
export async function writeObject(
  layout: Layout,
  { key, contentType, byteSize }: { key: string; contentType: string; byteSize: number },
  source: AsyncIterable<Uint8Array>,
): Promise<string> {
  const temporary = layout.newTemporary();
  const file = await onFiles('open a file', () => open(temporary, 'wx', 0o600));
  try {
    const etag = await writeBytes(file, byteSize, source);
    await onFiles('finish an object', async () => {
      await writeWhole(file, encodeTrailer({ byteSize, contentType, etag }), byteSize);
      await file.sync();
      await publish(layout, temporary, 'incoming', key);
    });
    return etag;
  } finally {
    await file.close().catch(() => {});
    await rm(temporary, { force: true }).catch(() => {});
  }
}

async function writeBytes(
  file: FileHandle,
  byteSize: number,
  source: AsyncIterable<Uint8Array>,
): Promise<string> {
  const hash = createHash('sha256');
  let [filling, spare] = [Buffer.allocUnsafeSlow(BUFFER_BYTES), Buffer.allocUnsafeSlow(BUFFER_BYTES)];
  let filled = 0;
  let received = 0;
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const full = filling.subarray(0, filled);
    const position = received - filled;
    [filling, spare] = [spare, filling];
    filled = 0;
    await writing;
    writing = onFiles('write', () => writeWhole(file, full, position));
    // The next flush awaits it; a failure before that must not count as an unhandled rejection.
    writing.catch(() => {});
    hash.update(full);
  }

  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + filling.length - filled);
        filling.set(part, filled);
        filled += part.length;
        received += part.length;
        at += part.length;
        if (filled === filling.length) await flush();
      }
      if (received > byteSize) break;
    }
    await flush();
  } finally {
    await writing.catch(() => {});
  }
  await writing;
  if (received !== byteSize) throw new Error(`${received} bytes received, ${byteSize} expected`);
  return hash.digest('hex');
}

async function writeWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/**
 * Moves a complete temporary file to the place of its object and syncs the directory: an object exists whole, or not at
 * all. Replaces an object of the same key.
 */
export async function publish(layout: Layout, temporary: string, area: Area, key: string): Promise<void> {
  const shard = layout.shard(area, key);
  // The directory of the area is never made here: where it is missing, so is the volume, and nothing may be written.
  if (await mkdir(shard).then(() => true, ignoreExisting)) await syncDirectory(layout.area(area));
  await rename(temporary, layout.object(area, key));
  await syncDirectory(shard);
}

function ignoreExisting(error: NodeJS.ErrnoException): false {
  if (error.code !== 'EEXIST') throw error;
  return false;
}
