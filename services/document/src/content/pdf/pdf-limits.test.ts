import { deflateSync } from 'node:zlib';
import { samplePdf } from '../../../testing/sample-files.ts';
import { startContentProcess } from '../index.ts';
import { pdfFault } from './pdf-fault.ts';

jest.setTimeout(120_000);

const MIB = 1024 * 1024;
const FILE_BYTES = 25 * MIB - 1_000;

/** Checks a PDF as the scanner does: in a process whose time and memory are bounded. */
async function matches(inside: Uint8Array): Promise<boolean> {
  const bytes = samplePdf(inside);
  const check = startContentProcess('application/pdf', { refusePdfActions: true });
  try {
    for (let at = 0; at < bytes.length; at += 65_536) await check.take(bytes.subarray(at, at + 65_536));
    return (await check.fault()) === undefined;
  } finally {
    check.close();
  }
}

const fault = (inside: Uint8Array) => pdfFault(samplePdf(inside), true);

const text = (content: string) => Buffer.from(content, 'latin1');
/** Repeats `part` to fill the largest file. */
const fullOf = (part: Uint8Array, bytes = FILE_BYTES) =>
  Buffer.alloc(Math.floor(bytes / part.length) * part.length, part);
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const objects = (count: number, content: (number: number) => string) =>
  text(
    Array.from({ length: count }, (_, index) => `${index + 2} 0 obj\n${content(index + 2)}\nendobj\n`).join(
      '',
    ),
  );
const objectStream = (packed: Uint8Array, dictionary = '/N 1 /First 4') =>
  Buffer.concat([
    text(`\n9 0 obj<</Type/ObjStm/Filter/FlateDecode ${dictionary}>>stream\n`),
    packed,
    text('\nendstream\nendobj\n'),
  ]);
const deflatedZeros = (mebibytes: number) => deflateSync(Buffer.alloc(mebibytes * MIB, ' '));

describe('accepts a PDF', () => {
  const PARAGRAPH =
    '/S /P /K [ 1 2 ] /T (The title of this paragraph, which is not short) /BBox [ 0 0 100.5 200 ]';

  it('of 25 MiB with 100,000 objects', async () => {
    const structure = objects(100_000, (number) => `<< /P ${number - 1} 0 R ${PARAGRAPH} >>`);
    const picture = Buffer.concat([
      text('9 0 obj << /Length 1 >> stream\n'),
      Buffer.alloc(FILE_BYTES - structure.length, 'picture '),
      text('\nendstream endobj\n'),
    ]);
    expect(await matches(Buffer.concat([structure, picture]))).toBe(true);
  });

  it('with 30 MiB of objects in object streams', async () => {
    const content = `1 0 ${`<< ${PARAGRAPH} >> `.repeat(11_000)}`;
    const packed = objectStream(deflateSync(text(content)));
    expect(await matches(fullOf(packed, Math.floor((30 * MIB) / content.length) * packed.length))).toBe(true);
  });

  it('with long chains of actions, and chains that are rings', () => {
    const chain = objects(20_000, (number) => `<< /S /GoTo /D (a) /Next ${number + 1} 0 R >>`);
    const ring = text('400000 0 obj << /A [ 400000 0 R ] /Next 400000 0 R /S /GoTo >> endobj ');
    expect(fault(Buffer.concat([chain, ring]))).toBeUndefined();
  });

  it('with a large tree of names that is empty', () => {
    const tree = objects(20_000, (number) => `<< /Kids [ ${number + 1} 0 R ${number} 0 R ] >>`);
    const names = text('400000 0 obj << /Names << /JavaScript 2 0 R >> >> endobj\n');
    expect(fault(Buffer.concat([names, tree]))).toBeUndefined();
  });
});

describe('refuses in its process a PDF', () => {
  it.each<[string, () => Uint8Array]>([
    ['with more than a million objects', () => fullOf(text('2 0 obj 1 endobj '))],
    ['with a million numbers of objects', () => text(lines(1_000_001, (number) => `${number} 0 obj 1`))],
    ['with a list of millions of values', () => text(`2 0 obj [ ${'/A '.repeat(5_000_000)}]`)],
  ])('%s', async (_what, inside) => {
    expect(await matches(inside())).toBe(false);
  });
});

describe('refuses a PDF', () => {
  it.each<[string, () => Uint8Array]>([
    ['with dictionaries within dictionaries', () => text(`2 0 obj ${'<</A'.repeat(1_000_000)}`)],
    ['with lists within lists', () => text(`2 0 obj ${'['.repeat(1_000_000)}`)],
    [
      'with objects within strings of objects',
      () => text('1 0 obj('.repeat(600) + ')'.repeat(600)).subarray(0, 5_000),
    ],
    [
      'with objects within closed strings of objects',
      () => text('1 0 obj('.repeat(50_000) + ')'.repeat(50_000)),
    ],
    ['with objects within comments', () => text('1 0 obj%'.repeat(500_000))],
    ['with trailers within comments', () => text('trailer%'.repeat(500_000))],
    ['with streams within streams', () => text(`${'1 0 obj<</A 1>>stream '.repeat(50_000)}`)],
    [
      'with many references to a large object',
      () =>
        text(
          `2 0 obj << /A [ ${'1 '.repeat(100_000)}] >> endobj ${'3 0 obj << /Type 2 0 R >> endobj '.repeat(10_000)}`,
        ),
    ],
    [
      'with references in a ring',
      () => text('2 0 obj 3 0 R endobj 3 0 obj 2 0 R endobj 4 0 obj << /Type 2 0 R >> endobj '),
    ],
    [
      'with lists of actions within lists',
      () => objects(10_000, (number) => (number === 2 ? '<< /A 3 0 R >>' : `[ ${number + 1} 0 R ]`)),
    ],
    ['with an object stream that inflates to 65 MiB', () => objectStream(deflatedZeros(65))],
    [
      'with object streams that inflate to more than 64 MiB together',
      () => fullOf(objectStream(deflatedZeros(20)), MIB),
    ],
    [
      'with object streams that are too large, all corrupt at their end',
      () => fullOf(objectStream(deflatedZeros(1).subarray(0, -4)), 3 * MIB),
    ],
    ['with too many object streams', () => fullOf(objectStream(deflateSync(text('1 0 1'))), 3 * MIB)],
    [
      'with an object stream that is a bomb of base 85',
      () =>
        Buffer.concat([
          text('9 0 obj<</N 1/First 4/Filter/A85/Length 20000002>>stream\n'),
          Buffer.alloc(20_000_000, 'z'),
          text('~>\nendstream\n'),
        ]),
    ],
    [
      'with a script after 25 MiB',
      () =>
        Buffer.concat([
          fullOf(text('% padding\n'), FILE_BYTES - 1_000),
          text('2 0 obj << /A << /S /JavaScript >> >> endobj\n'),
        ]),
    ],
  ])('%s', (_what, inside) => {
    expect(fault(inside())).toBeDefined();
  });
});
