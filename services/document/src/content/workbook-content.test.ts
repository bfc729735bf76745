import { judged, MACRO_TYPE, MAIN, SHEET, sheet, XLSX } from '../../testing/judged-workbook.ts';
import { PROGRAM } from '../../testing/sample-files.ts';
import { contentTypes, relationships, textPart, workbookOf, xlsx, zip } from '../../testing/zip-writer.ts';

const MIB = 1024 * 1024;
const MAIN_TYPE = `${XLSX}.main+xml`;

describe('workbook content check', () => {
  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a text', Buffer.from('a;b')],
    ['an archive without content types', zip(textPart(MAIN, '<workbook/>'))],
    [
      'an archive without relationships',
      zip(textPart('[Content_Types].xml', contentTypes()), textPart(MAIN, '<a/>')),
    ],
    ['a workbook of Excel 97', Buffer.from('d0cf11e0a1b11ae1000000', 'hex')],
  ])('refuses %s', async (_what, bytes) => {
    expect(await judged(bytes)).toBe('not-xlsx');
  });

  it('refuses a workbook with a password', async () => {
    const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)]);
    const stream = Buffer.from('EncryptedPackage', 'utf16le');
    expect(await judged(Buffer.concat([ole, stream]))).toBe('encrypted');
    expect(await judged(xlsx({ ...textPart('xl/a.xml', '<a/>'), password: 'x' }))).toBe('encrypted');
  });

  it('refuses bytes around the archive, and a workbook over 32 MiB', async () => {
    expect(await judged(Buffer.concat([xlsx(), Buffer.from('x')]))).toBe('archive');
    expect(await judged(Buffer.concat([PROGRAM, xlsx()]))).toBe('not-xlsx');
    expect(await judged(Buffer.alloc(32 * MIB + 1, 'PK'), MIB)).toBe('too-large');
  });

  it('refuses a sheet that inflates to 120 MB', async () => {
    const data = Buffer.concat([
      Buffer.from('<worksheet>'),
      Buffer.alloc(120e6, ' '),
      Buffer.from('</worksheet>'),
    ]);
    expect(await judged(xlsx({ name: SHEET, data }))).toBe('too-large');
  });

  it('accepts a large workbook, in chunks of any size', async () => {
    const rows = Array.from(
      { length: 30_000 },
      (_, row) => `<row r="${row}"><c r="A${row}"><v>${Math.random()}</v></c></row>`,
    );
    expect(await judged(xlsx(sheet(`<sheetData>${rows.join('')}</sheetData>`)), 4_096)).toBe('clean');
    expect(await judged(xlsx(), 1)).toBe('clean');
  });
});

describe('main part of a workbook', () => {
  const withMain = (main: string, target: string, { declared = `/${main}`, type = '', rest = '' } = {}) =>
    zip(
      textPart('[Content_Types].xml', contentTypes(rest, declared, ...(type ? [type] : []))),
      textPart(
        '_rels/.rels',
        relationships(['extended-properties', 'docProps/app.xml'], ['officeDocument', target]),
      ),
      textPart(main, '<workbook/>'),
    );

  const ofRelationships = (text: string | Buffer) =>
    zip(
      textPart('[Content_Types].xml', contentTypes()),
      { name: '_rels/.rels', data: Buffer.from(text) },
      textPart(MAIN, '<workbook/>'),
    );

  it.each([
    ['xl/workbook22.xml', 'xl/workbook22.xml'],
    ['xl/workbook22.xml', '/xl/workbook22.xml'],
    ['xl/workbook22.xml', './xl/other/../workbook22.xml'],
    ['Book/Main.XML', 'book/main.xml'],
    ['main.xml', '/main.xml'],
    ['xl/my%20book.xml', 'xl/my%20book.xml'],
    ['xl/my book.xml', 'xl/my%20book.xml'],
    ['xl/böck.xml', '/xl/b%C3%B6ck.xml'],
    ['xl/a&b.xml', 'xl/a&amp;b.xml'],
  ])('is found as %s, which its package names as %s', async (main, target) => {
    expect(await judged(withMain(main, target, { declared: `/${main.replace('&', '&amp;')}` }))).toBe(
      'clean',
    );
  });

  it('is found in the strict form, with prefixes and single quotes', async () => {
    const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument';
    const text = `<?xml version='1.0'?><!-- <Relationship Type="x/oleObject" Target="a"/> --><p:Relationships
      xmlns:p='a'><p:Relationship Target='/xl/book.xml' Type='${strict}' Id='a'></p:Relationship></p:Relationships>`;
    const bytes = zip(
      textPart('[Content_Types].xml', contentTypes('', '/xl/book.xml')),
      textPart('_rels/.rels', text),
      textPart(
        'xl/book.xml',
        '<workbook xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main" conformance="strict"/>',
      ),
    );
    expect(await judged(bytes)).toBe('clean');
  });

  it('may have the default type of its extension, and be the last part', async () => {
    const types = `<Types><Default Extension="XML" ContentType="${MAIN_TYPE}"/></Types>`;
    expect(await judged(workbookOf(types))).toBe('clean');
    const parts = [textPart('_rels/.rels', relationships(['officeDocument', MAIN])), textPart(MAIN, '<a/>')];
    expect(await judged(zip(...parts, textPart('[Content_Types].xml', types)))).toBe('clean');
  });

  it.each([
    ['no part', withMain(MAIN, 'xl/workbook2.xml', { declared: '/xl/workbook2.xml' }), 'not-xlsx'],
    ['a part of another type', withMain(MAIN, MAIN, { type: 'application/xml' }), 'not-xlsx'],
    ['a part with macros', withMain(MAIN, MAIN, { type: MACRO_TYPE }), `macros ${MAIN}`],
    ['an external address', withMain(MAIN, `https://x.test/${MAIN}`), 'external-link _rels/.rels'],
    ['an external address without a scheme', withMain(MAIN, `//x.test/${MAIN}`), 'external-link _rels/.rels'],
    [
      'a part marked as external',
      ofRelationships(relationships(['officeDocument', MAIN, 'External'])),
      'external-link _rels/.rels',
    ],
    [
      'two parts',
      ofRelationships(relationships(['officeDocument', MAIN], ['officeDocument', 'xl/b.xml'])),
      'not-xlsx',
    ],
    ['nothing', ofRelationships(relationships()), 'not-xlsx'],
    [
      'a part in a comment',
      ofRelationships(`<a><!-- ${relationships(['officeDocument', MAIN]).slice(38)} --></a>`),
      'not-xlsx',
    ],
    [
      'a part named by an entity',
      ofRelationships(`<!DOCTYPE a>${relationships(['officeDocument', MAIN]).slice(38)}`),
      'doctype _rels/.rels',
    ],
    [
      'a part in a CDATA section',
      ofRelationships(`<a><![CDATA[${relationships(['officeDocument', MAIN])}]]></a>`),
      'not-xlsx',
    ],
  ])('is not %s', async (_what, bytes, expected) => {
    expect(await judged(bytes)).toBe(expected);
  });
});
