import { fileTypeFromBuffer } from 'file-type';
import { ContentRefused } from './content-fault.ts';

/** Enough for `file-type`. */
const HEAD_BYTES = 4_100;
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/bmp',
  'image/tiff',
  'image/webp',
  'image/jxr',
  'image/vnd.ms-photo',
]);
/** Windows metafiles: the header of a placeable one, or of a plain one in memory or on disk. */
const METAFILE = /^(?:d7cdc69a|0[12]000900)/;
/** The signature of an enhanced metafile, in its first record. */
const [ENHANCED, ENHANCED_AT] = [' EMF', 40];

/** Refuses a picture with bytes that are none, whatever its name and type. */
export async function checkPicture(chunks: AsyncIterable<Buffer>): Promise<void> {
  const head = await headOf(chunks);
  const isMetafile =
    METAFILE.test(head.toString('hex', 0, 4)) ||
    (head.readUInt32LE(0) === 1 && head.toString('latin1', ENHANCED_AT, ENHANCED_AT + 4) === ENHANCED);
  if (!isMetafile && !PICTURES.has((await typeOf(head)) ?? '')) throw new ContentRefused('workbook-picture');
}

/** Refuses settings that are another format, such as a program. Printer settings of macOS are XML. */
export async function checkSettings(chunks: AsyncIterable<Buffer>): Promise<void> {
  const head = await headOf(chunks);
  const type = await typeOf(head);
  if (type !== undefined && type !== 'application/xml') throw new ContentRefused('workbook-unknown-part');
  if (head.toString('latin1', 0, 2) === '#!') throw new ContentRefused('workbook-unknown-part');
}

/** Reads all bytes, so that they are compared with their checksum, and resolves to the first ones, with zeros after. */
async function headOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const head = Buffer.alloc(HEAD_BYTES);
  let length = 0;
  for await (const chunk of chunks) length += chunk.copy(head, length);
  return head.subarray(0, Math.max(length, ENHANCED_AT + 4));
}

async function typeOf(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime;
  } catch {
    // The library fails on some bytes that match no type it knows.
    return undefined;
  }
}
