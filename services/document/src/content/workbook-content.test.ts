import { randomBytes } from 'node:crypto';
import { PROGRAM } from '../../testing/sample-files.ts';
import { contentTypes, relationships, textPart, workbookOf, xlsx, zip } from '../../testing/zip-writer.ts';
import { contentCheck } from './content-check.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const MAIN_TYPE = `${XLSX}.main+xml`;
const MACRO_TYPE = 'application/vnd.ms-excel.sheet.macroEnabled.main+xml';
const MIB = 1024 * 1024;
const PACKAGE = textPart('_rels/.rels', relationships(['officeDocument', 'xl/workbook.xml']));

async function matches(type: string, bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<boolean> {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return check.matches();
}

describe('workbook content check', () => {
  it('rejects an archive without the parts of a workbook', async () => {
    const part = (name: string) => ({ name, data: Buffer.from('x') });
    expect(await matches(XLSX, zip(part('[Content_Types].xml'), part('word/document.xml')))).toBe(false);
    expect(await matches(XLSX, zip(part('xl/workbook.xml')))).toBe(false);
  });

  it.each([
    'xl/vbaProject.bin',
    'xl/macrosheets/sheet1.xml',
    'xl/embeddings/oleObject1.bin',
    'XL/ActiveX/activeX1.xml',
    'xl\\activeX\\activeX1.xml',
    'xl/externalLinks/externalLink1.xml',
    'xl/dialogsheets/sheet1.xml',
  ])('rejects a workbook that contains %s', async (name) => {
    expect(await matches(XLSX, xlsx({ name, data: Buffer.from('x') }))).toBe(false);
  });

  const types = (...declared: string[]) =>
    contentTypes(
      declared.map((type) => `<Override PartName="/xl/plain.xml" ContentType="${type}"/>`).join(''),
    );

  it.each([
    ['macros', 'application/vnd.ms-office.vbaProject'],
    ['macros in different letter case', 'APPLICATION/VND.MS-OFFICE.VBAPROJECT'],
    ['macros in references', 'application/vnd.ms-office.vb&#x61;Proj&#101;ct'],
    ['a main part with macros', 'application/vnd.ms-excel.sheet.macroEnabled.main+xml'],
    ['Excel 4 sheets', 'application/vnd.ms-excel.macrosheet+xml'],
    ['Excel 4 sheets of other languages', 'application/vnd.ms-excel.intlmacrosheet+xml'],
    ['dialogs', 'application/vnd.openxmlformats-officedocument.spreadsheetml.dialogsheet+xml'],
    ['OLE objects', 'application/vnd.openxmlformats-officedocument.oleObject'],
    ['ActiveX', 'application/vnd.ms-office.activeX+xml'],
    ['packages', 'application/vnd.openxmlformats-officedocument.package'],
    ['embedded workbooks', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['embedded documents', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['links to other files', 'application/vnd.openxmlformats-officedocument.spreadsheetml.externalLink+xml'],
  ])('rejects a workbook that declares %s by content type, under any part name', async (_what, type) => {
    const part = { name: 'xl/plain.xml', data: Buffer.from('x') };
    expect(await matches(XLSX, workbookOf(types(type), part))).toBe(false);
  });

  it.each([
    ['in UTF-16', Buffer.from(`\ufeff${types('application/vnd.ms-office.vbaProject')}`, 'utf16le')],
    ['in another encoding', types().replace('UTF-8', 'IBM037')],
    ['with entities', `<!DOCTYPE a [<!ENTITY b "vba">]>${types()}`],
    ['with NUL', `${types()}\0`],
    ['larger than one mebibyte', types() + ' '.repeat(1_048_577)],
  ])('rejects a workbook when its content types are %s', async (_what, text) => {
    expect(await matches(XLSX, workbookOf(text))).toBe(false);
  });

  it('rejects a workbook with two parts of the same name', async () => {
    const second = { name: '[content_types].xml', data: Buffer.from(types()) };
    expect(await matches(XLSX, workbookOf(types(), second))).toBe(false);
  });

  it('rejects a workbook when the local header gives its content types another name', async () => {
    const bytes = workbookOf(types());
    bytes.write('[Content_Typos].xml', bytes.indexOf('[Content_Types].xml'));
    expect(await matches(XLSX, bytes)).toBe(false);
  });

  it.each([
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.printerSettings',
    'application/vnd.openxmlformats-officedocument.drawingml.chart+xml',
    'application/vnd.ms-excel.threadedcomments+xml',
    'application/vnd.openxmlformats-package.core-properties+xml',
    'image/png',
  ])('accepts parts of %s', async (type) => {
    for (const chunkBytes of [100, 1_000_000])
      expect(await matches(XLSX, workbookOf(types(type)), chunkBytes)).toBe(true);
  });

  it('accepts content types at the end of the archive', async () => {
    const sheet = { name: 'xl/a.xml', data: randomBytes(2_000_000) };
    const workbook = { name: 'xl/workbook.xml', data: Buffer.from('<workbook/>') };
    const last = { name: '[Content_Types].xml', data: Buffer.from(types()) };
    expect(await matches(XLSX, zip(PACKAGE, workbook, sheet, last), 65_536)).toBe(true);
  });

  it('rejects a part with an unusual compression method', async () => {
    const odd = xlsx();
    odd.writeUInt16LE(14, odd.indexOf('PK\x01\x02', 0, 'latin1') + 10);
    expect(await matches(XLSX, odd)).toBe(false);
  });

  it('rejects bytes before or after the archive', async () => {
    expect(await matches(XLSX, Buffer.concat([xlsx(), Buffer.from('x')]))).toBe(false);
    expect(await matches(XLSX, Buffer.concat([PROGRAM, xlsx()]))).toBe(false);
  });

  it('accepts a large workbook', async () => {
    const sheet = {
      name: 'xl/worksheets/sheet1.xml',
      data: Buffer.from(Array.from({ length: 900_000 }, Math.random).join()),
    };
    expect(await matches(XLSX, xlsx(sheet), 65_536)).toBe(true);
  });

  const MAIN = 'xl/workbook.xml';
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
  ])('accepts the main part %s, which its package names as %s', async (main, target) => {
    const declared = `/${main.replace('&', '&amp;')}`;
    for (const chunkBytes of [7, 1_000_000])
      expect(await matches(XLSX, withMain(main, target, { declared }), chunkBytes)).toBe(true);
  });

  it('accepts a main part in the strict form, prefixes and single quotes', async () => {
    const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument';
    const text = `<?xml version='1.0'?><!-- <Relationship Type="x/oleObject" Target="a"/> --><p:Relationships
      xmlns:p='a'><p:Relationship Target='/xl/book.xml' Type='${strict}' Id='a'></p:Relationship></p:Relationships>`;
    const bytes = zip(
      textPart('[Content_Types].xml', contentTypes('', '/xl/book.xml')),
      textPart('_rels/.rels', text),
      textPart('xl/book.xml', '<workbook/>'),
    );
    expect(await matches(XLSX, bytes)).toBe(true);
  });

  it('accepts a main part with the default type of its extension', async () => {
    const byExtension = `<Types><Default Extension="XML" ContentType="${MAIN_TYPE}"/></Types>`;
    expect(await matches(XLSX, workbookOf(byExtension))).toBe(true);
  });

  it.each([
    ['no part', withMain(MAIN, 'xl/workbook2.xml', { declared: '/xl/workbook2.xml' })],
    ['a part without a type', withMain(MAIN, MAIN, { declared: '/xl/other.xml' })],
    ['a part of another type', withMain(MAIN, MAIN, { type: 'application/xml' })],
    ['a part with macros', withMain(MAIN, MAIN, { type: MACRO_TYPE })],
    ['an external address', withMain(MAIN, `https://x.test/${MAIN}`)],
    ['an external address without a scheme', withMain(MAIN, `//x.test/${MAIN}`)],
    ['a part marked as external', ofRelationships(relationships(['officeDocument', MAIN, 'External']))],
    ['two parts', ofRelationships(relationships(['officeDocument', MAIN], ['officeDocument', 'xl/b.xml']))],
    ['nothing', ofRelationships(relationships())],
    ['a part in a comment', ofRelationships(`<!-- ${relationships(['officeDocument', MAIN])} -->`)],
    ['a part in UTF-16', ofRelationships(Buffer.from(relationships(['officeDocument', MAIN]), 'utf16le'))],
    ['a part named by an entity', ofRelationships(`<!DOCTYPE a>${relationships(['officeDocument', MAIN])}`)],
    ['a part in a CDATA section', ofRelationships(`<![CDATA[${relationships(['officeDocument', MAIN])}]]>`)],
  ])('rejects a package that names %s as its main part', async (_what, bytes) => {
    expect(await matches(XLSX, bytes)).toBe(false);
  });

  it.each([
    ['http://schemas.microsoft.com/office/2006/relationships/vbaProject', 'plain.bin'],
    ['http://schemas.microsoft.com/office/2006/relationships/VBA&#112;roject', 'plain.bin'],
    ['http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet', 'plain.xml'],
    ['http://schemas.microsoft.com/office/2006/relationships/activeXControlBinary', 'plain.bin'],
    ['http://purl.oclc.org/ooxml/officeDocument/relationships/oleObject', 'plain.bin'],
    ['oleObject', 'plain.bin'],
    ['package', 'plain.bin'],
    ['control', 'plain.xml'],
    ['externalLink', 'plain.xml'],
    ['externalLinkPath', 'file:///c:/other.xlsx'],
    ['dialogsheet', 'plain.xml'],
    ['attachedToolbars', 'plain.bin'],
  ])('rejects a relationship %s, in any location and with any target', async (type, target) => {
    for (const name of ['xl/_rels/workbook.xml.rels', 'a/b/_rels/C.XML.RELS'])
      expect(await matches(XLSX, xlsx(textPart(name, relationships([type, target]))))).toBe(false);
    expect(
      await matches(XLSX, ofRelationships(relationships(['officeDocument', MAIN], [type, target]))),
    ).toBe(false);
  });

  it('accepts links, pictures and drawings with any target names', async () => {
    const text = relationships(
      ['hyperlink', 'https://bank.example.test/relationships/oleObject', 'External'],
      ['hyperlink', 'file:///c:/vbaProject', 'External'],
      ['image', '../media/package'],
      ['drawing', '../drawings/externalLink'],
      ['ctrlProp', '../ctrlProps/ctrlProp1.xml'],
    );
    expect(await matches(XLSX, xlsx(textPart('xl/worksheets/_rels/sheet1.xml.rels', text)))).toBe(true);
  });

  it('rejects relationships that no program could read', async () => {
    const rels = 'xl/_rels/workbook.xml.rels';
    expect(await matches(XLSX, xlsx({ name: rels, data: Buffer.from('\xff<', 'latin1') }))).toBe(false);
    expect(await matches(XLSX, xlsx({ name: rels, data: Buffer.alloc(17 * MIB, ' ') }))).toBe(false);
    const locked = { name: rels, data: Buffer.from(relationships()), password: 'x' };
    expect(await matches(XLSX, xlsx(locked))).toBe(false);
  });

  it.each([
    ['tags without ends', '<Relationship '],
    ['quotes that never end', '<Relationship a="\''],
    ['comments without ends', '<!--'],
    ['one long name', 'a'],
    ['white space', ' '],
  ])('takes time linear in the size of the input: %s', async (_what, part) => {
    const data = Buffer.concat([Buffer.from('<Relationship '), Buffer.alloc(8 * MIB, part)]);
    expect(await matches(XLSX, xlsx({ name: 'xl/_rels/workbook.xml.rels', data }))).toBe(false);
  });
});
