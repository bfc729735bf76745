import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { onFiles } from './file-errors.ts';
import type { Layout } from './layout.ts';
import { publish } from './publish.ts';
import { encodeTrailer } from './trailer.ts';

/** Two of these per upload: one fills while the other is written. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Writes what `source` gives as the incoming object `key` and resolves to its ETag, the SHA-256 of its bytes, once it is
 * safe on the disk. Memory: 128 KiB, whatever the size. Always makes a new file: an object that is there, and every hard
 * link to it, stays as it is. When the source fails or gives another number of bytes, rejects and leaves nothing behind;
 * rejects with StoreUnavailable when the disk refuses.
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
    // It is waited for at the next flush; until then its failure is nobody's.
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
  if (received !== byteSize) throw new Error('not as many bytes as announced');
  return hash.digest('hex');
}

async function writeWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
