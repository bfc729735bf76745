import { ContentRefused, cleanPart } from './content-fault.ts';
import type { ContentRule } from './stream-ends.ts';
import { checkPicture, checkSettings } from './workbook-binaries.ts';
import { markupChecks } from './workbook-markup.ts';
import { checkRelationship, kindOfPart, placeOf, type Relationship } from './workbook-parts.ts';
import { type IndirectFiles, indirectFiles } from './workbook-references.ts';
import { readVml, readXml } from './workbook-xml.ts';
import { type ZipPart, zipParts } from './zip-archive.ts';

/** Every part is read, so the whole file is kept. */
const MAX_BYTES = 32 * 1024 * 1024;

const CONTENT_TYPES_PART = '[content_types].xml';
const PACKAGE_RELATIONSHIPS = '_rels/.rels';
const RELATIONSHIPS_PART = /(?:^|\/)_rels\/[^/]*\.rels$/;
const MAIN_TYPES =
  /^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.(?:sheet|template)\.main\+xml$/;
/** The transitional and the strict form. */
const TYPES_OF_MAIN_PART = [
  'http://schemas.openxmlformats.org/officedocument/2006/relationships/officedocument',
  'http://purl.oclc.org/ooxml/officedocument/relationships/officedocument',
];

const ZIP_START = Buffer.from('PK', 'latin1');
const OLE_START = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** The stream of an encrypted workbook, by its name in the directory of an OLE file. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Makes the rule for a workbook: an archive of parts and relationships that a workbook needs, in which nothing runs,
 * loads or opens anything except links to web pages and mailboxes. Only parts that are present count.
 */
export function workbook(): ContentRule {
  return {
    headBytes: MAX_BYTES,
    tailBytes: 0,
    async check(ends) {
      if (ends.size() > MAX_BYTES) throw new ContentRefused('workbook-too-large');
      const file = Buffer.from(ends.head());
      if (file.subarray(0, OLE_START.length).equals(OLE_START))
        throw new ContentRefused(
          file.includes(ENCRYPTED_STREAM) ? 'workbook-encrypted' : 'workbook-not-xlsx',
        );
      if (!file.subarray(0, ZIP_START.length).equals(ZIP_START))
        throw new ContentRefused('workbook-not-xlsx');
      await checkPackage(await zipParts(file));
    },
  };
}

type Parts = ReadonlyMap<string, ZipPart>;

async function checkPackage(archived: readonly ZipPart[]): Promise<void> {
  const parts: Parts = new Map(archived.map((part) => [partName(part.name), part]));
  // Readers differ in which of two parts with the same name they use.
  if (parts.size !== archived.length) throw new ContentRefused('workbook-entry-name');
  const typesPart = parts.get(CONTENT_TYPES_PART);
  if (!typesPart) throw new ContentRefused('workbook-not-xlsx');
  const typeOf = await inPart(typesPart, () => readTypes(typesPart));
  let packageRelationships: readonly Relationship[] = [];
  const files = indirectFiles();
  for (const [name, part] of parts) {
    if (name === CONTENT_TYPES_PART) continue;
    const relationships = await inPart(part, () => checkPart(part, name, typeOf(name), files));
    if (name === PACKAGE_RELATIONSHIPS) packageRelationships = relationships;
  }
  const main = mainPartOf(packageRelationships);
  if (main === undefined || !parts.has(main) || !MAIN_TYPES.test(typeOf(main) ?? ''))
    throw new ContentRefused('workbook-not-xlsx');
}

/** Adds the place to a fault. */
async function inPart<Result>(part: ZipPart, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ContentRefused)) throw error;
    const { rule, part: inside = '' } = error.fault;
    throw new ContentRefused(rule, cleanPart(placeOf(part.name) + inside));
  }
}

/** Judges a part by its bytes. Resolves to its relationships, if it contains any. */
async function checkPart(
  part: ZipPart,
  name: string,
  type: string | undefined,
  files: IndirectFiles,
): Promise<Relationship[]> {
  if (RELATIONSHIPS_PART.test(name)) return readRelationships(part);
  const kind = kindOfPart(name, type);
  switch (kind) {
    case 'xml':
      await readXml(part.read(), markupChecks(type === SVG ? 'svg' : 'xml', files));
      break;
    case 'vml':
      await readVml(part.read(), markupChecks('vml', files));
      break;
    case 'picture':
      await checkPicture(part.read());
      break;
    case 'settings':
      await checkSettings(part.read());
      break;
  }
  files.check();
  return [];
}

const SVG = 'image/svg+xml';

async function readRelationships(part: ZipPart): Promise<Relationship[]> {
  const found: Relationship[] = [];
  await readXml(part.read(), {
    open(name, { Type: type = '', Target: target = '', TargetMode: mode = '' }) {
      if (name !== 'Relationship') return;
      const isExternal = mode.trim().toLowerCase() === 'external';
      const relationship = { type: type.trim().toLowerCase(), target, isExternal };
      checkRelationship(relationship);
      found.push(relationship);
    },
  });
  return found;
}

/** Returns the lower-case name of the only main part in the package's relationships. */
function mainPartOf(relationships: readonly Relationship[]): string | undefined {
  const [main, ...others] = relationships.filter(({ type }) => TYPES_OF_MAIN_PART.includes(type));
  return main && others.length === 0 ? partOf(main.target) : undefined;
}

/** Resolves to the lower-case types of parts by lower-case name. */
async function readTypes(part: ZipPart): Promise<(name: string) => string | undefined> {
  const [byName, byExtension] = [new Map<string, string>(), new Map<string, string>()];
  await readXml(part.read(), {
    open(name, { PartName = '', Extension = '', ContentType = '' }) {
      const type = ContentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      if (name === 'Override') byName.set(partOf(PartName) ?? '', type);
      if (name === 'Default') byExtension.set(Extension.toLowerCase(), type);
    },
  });
  return (name) => byName.get(name) ?? byExtension.get(/\.([^./]+)$/.exec(name)?.[1] ?? '');
}

/** Returns the lower-case part name of an archive entry: part names are case-insensitive and may contain escapes. */
function partName(archived: string): string {
  try {
    return decodeURIComponent(archived).toLowerCase();
  } catch {
    return archived.toLowerCase();
  }
}

/** Returns the lower-case name of the part that a target, relative to the package root, refers to. */
function partOf(target: string): string | undefined {
  try {
    const { origin, pathname } = new URL(target.trim(), 'http://package/');
    return origin === 'http://package' ? decodeURIComponent(pathname.slice(1)).toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
