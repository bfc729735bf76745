import type { ContentRule, StreamEnds } from './stream-ends.ts';
import {
  areQuietTypes,
  elementsIn,
  isActiveName,
  isPlainXml,
  MAX_TYPES_BYTES,
  partName,
  partOf,
  textOf,
  typeOfPart,
} from './workbook-parts.ts';
import { type ZipEntry, zipEntries } from './zip-directory.ts';

/** Relationships can be anywhere in the file, so up to this many bytes are kept. */
const HEAD_BYTES = 32 * 1024 * 1024;
/** Enough for several thousand entries; a workbook has a few dozen. */
const DIRECTORY_BYTES = 1024 * 1024;
/** Maximum for one part; the 65,530 hyperlinks that a sheet may have take about 10 MiB. */
const MAX_RELATIONSHIP_BYTES = 16 * 1024 * 1024;
const MAX_ALL_RELATIONSHIP_BYTES = 64 * 1024 * 1024;

const CONTENT_TYPES_PART = '[content_types].xml';
const PACKAGE_RELATIONSHIPS = '_rels/.rels';
const MAIN_TYPES =
  /^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.(?:sheet|template)\.main\+xml$/;
/** The compression methods of workbooks: stored and deflate. Scanners may not support others. */
const METHODS = [0, 8];

/**
 * Makes the rule for a workbook without macros, Excel 4 sheets, embedded objects and links to other files, under any
 * part names. The package's relationships identify its main part. Everything it reads must be within the first 32 MiB
 * or the last 1 MiB.
 */
export function workbook(): ContentRule {
  return {
    headBytes: HEAD_BYTES,
    tailBytes: DIRECTORY_BYTES,
    accepts(ends) {
      const entries = zipEntries(ends.tail(), ends.size()) ?? [];
      const parts = new Map(entries.map((entry) => [partName(entry.name), entry]));
      return (
        // Readers differ in which of two parts with the same name they use.
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

/** Whether the content types and relationships declare a workbook without active content or external links. */
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

/** The type and target of a package relationship. */
export interface Relationship {
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** The transitional and the strict form. */
const TYPES_OF_MAIN_PART = [
  'http://schemas.openxmlformats.org/officedocument/2006/relationships/officedocument',
  'http://purl.oclc.org/ooxml/officedocument/relationships/officedocument',
];

/** Suffixes of relationship types for macros, Excel 4 sheets, dialogs, embedded objects and links to other files. */
const ACTIVE =
  /\/(?:(?:word)?vba(?:project|data)|xl(?:intl)?macrosheet|dialogsheet|attachedtoolbars|attachedtemplate|oleobject|package|control|activexcontrol(?:binary)?|(?:xl)?externallink(?:path)?|subdocument|frame)$/;

/**
 * Returns the relationships that a part of the package declares. Undefined when one leads to active or external
 * content, or when another reader could find different ones.
 */
export function quietRelationshipsIn(text: string): Relationship[] | undefined {
  if (!isPlainXml(text)) return undefined;
  const relationships = elementsIn(text, 'Relationship')?.map((attributes) => ({
    type: (attributes.get('Type') ?? '').trim().toLowerCase(),
    target: attributes.get('Target') ?? '',
    isExternal: attributes.get('TargetMode')?.toLowerCase() === 'external',
  }));
  return relationships?.some(({ type }) => ACTIVE.test(type)) ? undefined : relationships;
}

/** Returns the lower-case name of the only main part in the package's relationships. */
export function mainPartOf(relationships: readonly Relationship[]): string | undefined {
  const [main, ...others] = relationships.filter(({ type }) => TYPES_OF_MAIN_PART.includes(type));
  return main && others.length === 0 && !main.isExternal ? partOf(main.target) : undefined;
}
