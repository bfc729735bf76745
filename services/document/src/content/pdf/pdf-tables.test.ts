import { deflateSync } from 'node:zlib';
import { appended, objectStream, type PdfPart, pdfOf } from '../../../testing/pdf-writer.ts';
import { pdfFault } from './pdf-fault.ts';

const ruleOf = (bytes: Buffer) => pdfFault(bytes, true)?.rule;

/** Each does nothing with the first object 9, and acts with the second. */
const NEIGHBOURS: readonly (readonly [string, Parameters<typeof pdfOf>[0], string, string])[] = [
  ['a script', { catalog: '/OpenAction << /S 9 0 R /JS (a) >>' }, '/GoTo', '/JavaScript'],
  ['a program', { catalog: '/OpenAction << /S 9 0 R /Win << /F (a.exe) >> >>' }, '/GoTo', '/Launch'],
  ['a form that is sent', { catalog: '/OpenAction << /S 9 0 R /Flags 4 >>' }, '/GoTo', '/SubmitForm'],
  ['a form of XFA', { catalog: '/AcroForm 9 0 R' }, '<< /Fields [ ] >>', '<< /Fields [ ] /XFA (a) >>'],
  [
    'an address without a click',
    { catalog: '/OpenAction 9 0 R' },
    '<< /S /GoTo /D (a) >>',
    '<< /S /URI /URI (https://a.example) >>',
  ],
  ['a print dialog', { catalog: '/OpenAction 9 0 R' }, '<< /S /GoTo /D (a) >>', '<< /S /Named /N /Print >>'],
  [
    'an attachment',
    { catalog: '/Names << /EmbeddedFiles 9 0 R >>' },
    '<< /Names [ ] >>',
    '<< /Names [ (a) 8 0 R ] >>',
  ],
  [
    'a script by name',
    { catalog: '/Names << /JavaScript 9 0 R >>' },
    '<< /Names [ ] >>',
    '<< /Names [ (a) 8 0 R ] >>',
  ],
  [
    'rich media',
    { page: '/Annots [ << /Type /Annot /Subtype 9 0 R /Rect [ 0 0 9 9 ] >> ]' },
    '/Link',
    '/RichMedia',
  ],
];

const padded = (offset: number) => `${String(offset).padStart(10, '0')} 00000 n `;
const withTable = (file: Buffer, entries: string, name = 'xref') =>
  Buffer.concat([
    file,
    Buffer.from(
      `${name}\n${entries}\ntrailer\n<< /Size 30 /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    ),
  ]);
const END = 'startxref\n0\n%%EOF\n';
/** Adds a table in a stream, of one entry for object 9. */
function withStreamTable(file: Buffer, [type, second, third]: readonly [number, number, number]): Buffer {
  const content = Buffer.alloc(7);
  content.writeUInt8(type, 0);
  content.writeUInt32BE(second, 1);
  content.writeUInt16BE(third, 5);
  const dictionary = '/Type /XRef /W [ 1 4 2 ] /Index [ 9 1 ] /Size 30 /Root 1 0 R /Filter /FlateDecode';
  const part: PdfPart = { dictionary, content: deflateSync(content) };
  return Buffer.concat([appended(file, { 25: part }), Buffer.from(END)]);
}

describe.each(NEIGHBOURS)(
  '%s whose object a table finds within another number',
  (_what, parts, decoy, real) => {
    const file = pdfOf({ ...parts, objects: { 9: decoy, 19: real } });
    const within = file.indexOf('19 0 obj') + 1;

    it.each([
      ['a table', withTable(file, `9 1\n${padded(within)}`)],
      ['a table of several entries', withTable(file, `8 2\n${padded(0)}\n${padded(within)}`)],
      ['a table of short offsets', withTable(file, `9 1 ${within} 0 n`)],
      ['a table with comments', withTable(file, `9 1 %\n${within} 0 %n\nn`)],
      ['a table that begins within a word', withTable(file, `9 1\n${padded(within)}`, 'startxref')],
      ['such a table with a comment', withTable(file, `9 %\n1 ${padded(within)}`, 'startxref')],
      ['a table in a string', appended(file, { 20: `(xref\n9 1\n${padded(within)}\ntrailer\n<<>>)` })],
      ['a table of other entries for some readers', withTable(file, `9 1\n${padded(within)}x n`)],
      ['a table in a stream', withStreamTable(file, [1, within, 0])],
    ])('is refused in %s', (_where, bytes) => {
      expect(ruleOf(file)).toBeUndefined();
      expect(ruleOf(bytes)).toBe('pdf-unreadable');
    });

    it('is refused when a table counts from a header that has bytes before it', () => {
      const start = Buffer.from('\n\n');
      expect(ruleOf(Buffer.concat([start, withTable(file, `9 1\n${padded(within)}`)]))).toBe(
        'pdf-unreadable',
      );
    });

    it('is refused when a table finds it by its place in an object stream', () => {
      const packed = pdfOf({ ...parts, objects: { 9: decoy, 12: objectStream({ 18: '1', 19: real }) } });
      expect(ruleOf(withStreamTable(packed, [2, 12, 1]))).toBe('pdf-unreadable');
    });

    it.each(['9 %c\n0 obj', '9 0 %c\nobj', '9.0 0 obj', '9e0 0 obj', '9 0.0 obj', '9 0e0 obj', '-9 0 obj'])(
      'is refused when its number is written as %s',
      (start) => {
        const hidden = file.toString('latin1').replace('19 0 obj', start);
        expect(ruleOf(Buffer.from(hidden, 'latin1'))).toBeDefined();
      },
    );
  },
);

describe('a table of objects is accepted', () => {
  const file = pdfOf({ objects: { 9: '1', 19: '2', 12: objectStream({ 8: '1', 9: '2' }) } });
  const at = file.indexOf('19 0 obj');

  it.each([
    ['at the number of an object', withTable(file, `19 1\n${padded(at)}`)],
    ['at an offset that is wrong', withTable(file, `19 1\n${padded(at + 2)}`)],
    ['of free objects', withTable(file, `0 1\n0000000000 65535 f `)],
    ['in a stream', withStreamTable(file, [1, at, 0])],
    ['of an object in its stream', withStreamTable(file, [2, 12, 1])],
  ])('%s', (_what, bytes) => {
    expect(ruleOf(bytes)).toBeUndefined();
  });
});
