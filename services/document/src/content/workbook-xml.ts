import { TextDecoder } from 'node:util';
import { SaxesParser } from 'saxes';
import { ContentRefused } from './content-fault.ts';

/** Receives the elements and texts of an XML part. Element names are without their prefix. */
export interface XmlVisitor {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Receives a text or CDATA section. */
  text?(text: string): void;
  close?(name: string): void;
  /** Receives the name of a processing instruction. */
  instruction?(name: string): void;
}

/** Office nests about 30 deep. */
const MAX_DEPTH = 256;
/** Maximum between two elements: one text, comment or tag is kept in memory. */
const MAX_TOKEN_BYTES = 8 * 1024 * 1024;

/**
 * Parses an XML part. Refuses a part that two readers could parse differently: not well-formed, with a document type
 * declaration, or in an encoding other than UTF-8 or UTF-16 as declared.
 */
export async function readXml(chunks: AsyncIterable<Buffer>, visitor: XmlVisitor): Promise<void> {
  const unreadable = () => new ContentRefused('workbook-unreadable');
  let decoder: TextDecoder | undefined;
  let encoding = '';
  let depth = 0;
  let tokenBytes = 0;
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', () => {
    throw unreadable();
  });
  parser.on('doctype', () => {
    throw new ContentRefused('workbook-doctype');
  });
  parser.on('xmldecl', ({ encoding: declared = encoding }) => {
    if (!NAMES[encoding]?.test(declared)) throw unreadable();
  });
  parser.on('opentag', ({ name, attributes }) => {
    tokenBytes = 0;
    depth += 1;
    if (depth > MAX_DEPTH) throw unreadable();
    visitor.open?.(withoutPrefix(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    tokenBytes = 0;
    depth -= 1;
    visitor.close?.(withoutPrefix(name));
  });
  const text = (found: string) => visitor.text?.(found);
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('processinginstruction', ({ target }) => visitor.instruction?.(target));

  for await (const chunk of atLeast(FIRST_BYTES, chunks)) {
    if (!decoder) {
      encoding = encodingOf(chunk);
      decoder = new TextDecoder(encoding, { fatal: true });
    }
    tokenBytes += chunk.length;
    if (tokenBytes > MAX_TOKEN_BYTES + chunk.length) throw unreadable();
    parser.write(decoded(decoder, chunk));
  }
  parser.write(decoded(decoder ?? new TextDecoder(), undefined));
  parser.close();

  function decoded(by: TextDecoder, chunk: Buffer | undefined): string {
    try {
      return by.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw unreadable();
    }
  }
}

/** Excel 2007 writes line breaks in comments without closing them, and every reader accepts that. */
const OPEN_BREAK = /<br>/g;

/** Parses a legacy drawing, as readXml does. */
export async function readVml(chunks: AsyncIterable<Buffer>, visitor: XmlVisitor): Promise<void> {
  const all: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_TOKEN_BYTES) throw new ContentRefused('workbook-unreadable');
    all.push(chunk);
  }
  const text = Buffer.concat(all).toString('latin1').replace(OPEN_BREAK, '<br/>');
  const closed = [Buffer.from(text, 'latin1')];
  await readXml(
    (async function* () {
      yield* closed;
    })(),
    visitor,
  );
}

/** The names that a declaration may give the encoding in which it is written. */
const NAMES: Readonly<Record<string, RegExp>> = {
  'utf-8': /^(?:utf-?8|us-ascii|ascii)$/i,
  'utf-16le': /^utf-16(?:le)?$/i,
  'utf-16be': /^utf-16(?:be)?$/i,
};

/** The bytes that show the encoding. */
const FIRST_BYTES = 4;
const STARTS: readonly (readonly [hex: RegExp, encoding: string])[] = [
  [/^(?:fffe|3c003f00)/, 'utf-16le'],
  [/^(?:feff|003c003f)/, 'utf-16be'],
];

function encodingOf(start: Buffer): string {
  const hex = start.toString('hex', 0, FIRST_BYTES);
  return STARTS.find(([pattern]) => pattern.test(hex))?.[1] ?? 'utf-8';
}

/** Yields the same bytes, with at least `bytes` of them in the first chunk if there are as many. */
async function* atLeast(bytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first = Buffer.alloc(0);
  for await (const chunk of chunks) {
    first = Buffer.concat([first, chunk]);
    if (first.length < bytes) continue;
    yield first;
    first = Buffer.alloc(0);
  }
  if (first.length > 0) yield first;
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
