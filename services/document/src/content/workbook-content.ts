import type { ContentRule, StreamEnds } from './stream-ends.ts';
import {
  areQuietTypes,
  isActiveName,
  MAX_TYPES_BYTES,
  partName,
  textOf,
  typeOfPart,
} from './workbook-parts.ts';
import { mainPartOf, quietRelationshipsIn } from './workbook-relationships.ts';
import { type ZipEntry, zipEntries } from './zip-directory.ts';

/** Relationships lie anywhere in the file, which is kept up to this size. */
const HEAD_BYTES = 32 * 1024 * 1024;
/** Enough for some thousands of entries; a workbook has a few dozen. */
const DIRECTORY_BYTES = 1024 * 1024;
/** Of one part; the 65,530 hyperlinks that a sheet may have take some 10 MiB. */
const MAX_RELATIONSHIP_BYTES = 16 * 1024 * 1024;
const MAX_ALL_RELATIONSHIP_BYTES = 64 * 1024 * 1024;

const CONTENT_TYPES_PART = '[content_types].xml';
const PACKAGE_RELATIONSHIPS = '_rels/.rels';
const MAIN_TYPES =
  /^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.(?:sheet|template)\.main\+xml$/;
/** The compression methods of workbooks: stored and deflate. Scanners may be unable to read others. */
const METHODS = [0, 8];

/**
 * A workbook without macros, Excel 4 sheets, embedded objects and links to other files, whatever its parts are called.
 * Its main part is the one that the package's relationships name. What it reads must lie within the first 32 MiB or the
 * last one.
 */
export function workbook(): ContentRule {
  return {
    headBytes: HEAD_BYTES,
    tailBytes: DIRECTORY_BYTES,
    accepts(ends) {
      const entries = zipEntries(ends.tail(), ends.size()) ?? [];
      const parts = new Map(entries.map((entry) => [partName(entry.name), entry]));
      return (
        // Of two parts with one name, each reader picks its own.
        parts.size === entries.length &&
        entries.every(({ method }) => METHODS.includes(method)) &&
        ![...parts.keys()].some(isActiveName) &&
        isQuietPackage(parts, reader(ends))
      );
    },
  };
}

type Read = (entry: ZipEntry | undefined, maxBytes: number) => string | undefined;

function reader(ends: StreamEnds): Read {
  const [head, tail] = [ends.head(), ends.tail()];
  const kept = [
    [head, 0],
    [tail, ends.size() - tail.length],
  ] as const;
  const slice = (offset: number, length: number) => {
    for (const [bytes, from] of kept)
      if (offset >= from && offset + length <= from + bytes.length)
        return Buffer.from(bytes.buffer, bytes.byteOffset + offset - from, length);
    return undefined;
  };
  return (entry, maxBytes) => entry && textOf(entry, slice, maxBytes);
}

/** Whether types and relationships declare a workbook, and nothing that runs or reaches out. */
function isQuietPackage(parts: ReadonlyMap<string, ZipEntry>, read: Read): boolean {
  const types = read(parts.get(CONTENT_TYPES_PART), MAX_TYPES_BYTES);
  if (types === undefined || !areQuietTypes(types)) return false;
  let main: string | undefined;
  let bytesLeft = MAX_ALL_RELATIONSHIP_BYTES;
  for (const [name, entry] of parts) {
    if (!name.endsWith('.rels')) continue;
    const text = read(entry, Math.min(MAX_RELATIONSHIP_BYTES, bytesLeft));
    const relationships = text === undefined ? undefined : quietRelationshipsIn(text);
    if (text === undefined || !relationships) return false;
    bytesLeft -= text.length;
    if (name === PACKAGE_RELATIONSHIPS) main = mainPartOf(relationships);
  }
  return main !== undefined && parts.has(main) && MAIN_TYPES.test(typeOfPart(types, main) ?? '');
}
