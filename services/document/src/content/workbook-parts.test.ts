import {
  declaredAs,
  judged,
  MACRO_TYPE,
  relationshipsOfSheet,
  ruleOf,
  SHEETS,
  XLSX,
} from '../../testing/judged-workbook.ts';
import { PROGRAM, SAMPLE_FILES } from '../../testing/sample-files.ts';
import { contentTypes, relationships, textPart, workbookOf, xlsx } from '../../testing/zip-writer.ts';

const XML = Buffer.from('<a/>');

describe('workbook parts', () => {
  it.each([
    ['xl/vbaProject.bin', 'application/vnd.ms-office.vbaProject', 'macros'],
    ['xl/plain.bin', 'APPLICATION/VND.MS-OFFICE.VBAPROJECT', 'macros'],
    ['xl/plain.xml', 'application/vnd.ms-office.vb&#x61;Proj&#101;ct', 'macros'],
    ['xl/plain.xml', MACRO_TYPE, 'macros'],
    ['xl/macrosheets/sheet1.xml', 'application/vnd.ms-excel.macrosheet+xml', 'macros'],
    ['xl/macrosheets/sheet1.xml', 'application/xml', 'macros'],
    ['xl/plain.xml', 'application/vnd.ms-excel.intlmacrosheet+xml', 'macros'],
    ['xl/dialogsheets/sheet1.xml', `${SHEETS}dialogsheet+xml`, 'macros'],
    ['xl/jsaProject.bin', 'application/octet-stream', 'macros'],
    [
      'xl/embeddings/oleObject1.bin',
      'application/vnd.openxmlformats-officedocument.oleObject',
      'embedded-object',
    ],
    ['xl/plain.bin', 'application/vnd.openxmlformats-officedocument.oleObject', 'embedded-object'],
    ['xl/plain.xlsx', XLSX, 'embedded-object'],
    ['xl/plain.bin', 'application/vnd.openxmlformats-officedocument.package', 'embedded-object'],
    [
      'xl/a.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'embedded-object',
    ],
    ['XL/ActiveX/activeX1.xml', 'application/vnd.ms-office.activeX+xml', 'embedded-object'],
    ['xl/a.exe', 'application/x-msdownload', 'embedded-object'],
    ['xl/externalLinks/externalLink1.xml', `${SHEETS}externalLink+xml`, 'external-link'],
    ['xl/plain.xml', `${SHEETS}externalLink+xml`, 'external-link'],
    ['xl/connections.xml', `${SHEETS}connections+xml`, 'connection'],
    ['xl/plain.xml', `${SHEETS}connections+xml`, 'connection'],
    ['xl/queryTables/queryTable1.xml', `${SHEETS}queryTable+xml`, 'connection'],
    ['xl/volatileDependencies.xml', `${SHEETS}volatileDependencies+xml`, 'connection'],
    ['xl/model/item.data', 'application/vnd.openxmlformats-officedocument.model+data', 'connection'],
    ['xl/webextensions/taskpanes.xml', 'application/vnd.ms-office.webextensiontaskpanes+xml', 'extension'],
    ['xl/webextensions/webextension1.xml', 'application/vnd.ms-office.webextension+xml', 'extension'],
    ['customUI/customUI14.xml', 'application/xml', 'extension'],
    ['xl/plain.js', 'application/javascript', 'unknown-part'],
    ['xl/plain.bin', 'application/octet-stream', 'unknown-part'],
    ['xl/plain.html', 'text/html', 'unknown-part'],
  ])('refuses %s of type %s', async (name, type, rule) => {
    const found = await ruleOf(declaredAs(name, type, XML));
    expect(found).toBe(rule);
  });

  it('refuses a part without a type', async () => {
    expect(await judged(xlsx({ name: 'xl/media/run.exe', data: PROGRAM }))).toBe(
      'unknown-part xl/media/*.exe',
    );
    expect(await judged(xlsx(textPart('readme', '<a/>')))).toBe('unknown-part *');
  });

  it('ignores types that no part has', async () => {
    const unused = ['vba', 'docx', 'bin'].map(
      (extension) => `<Default Extension="${extension}" ContentType="${MACRO_TYPE}"/>`,
    );
    const absent = `<Override PartName="/xl/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/>`;
    expect(await judged(workbookOf(contentTypes(unused.join('') + absent)))).toBe('clean');
  });

  it('shows names of parts without words that a sender could choose', async () => {
    const name = 'xl/Jane Smith/passport\u00fc123.evilname';
    expect(await judged(xlsx(textPart(name, 'x')))).toBe('unknown-part xl/*/*');
    expect(await judged(xlsx(textPart(`xl/${'media/'.repeat(40)}a`, 'x')))).toMatch(
      /^unknown-part .{57}\.\.\.$/,
    );
  });

  it.each([
    ['a picture', 'image/png', SAMPLE_FILES['image/png'], 'clean'],
    ['a picture of another type than declared', 'image/png', SAMPLE_FILES['image/jpeg'], 'clean'],
    ['a GIF', 'image/gif', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'), 'clean'],
    ['a metafile', 'image/x-wmf', Buffer.from(`d7cdc69a${'00'.repeat(30)}`, 'hex'), 'clean'],
    [
      'an enhanced metafile',
      'image/x-emf',
      Buffer.concat([Buffer.from('01000000', 'hex'), Buffer.alloc(36), Buffer.from(' EMF')]),
      'clean',
    ],
    ['a program', 'image/png', PROGRAM, 'picture'],
    ['a page', 'image/png', Buffer.from('<html><script>'), 'picture'],
    ['an archive', 'image/jpeg', xlsx(), 'picture'],
    ['a PDF', 'image/jpeg', SAMPLE_FILES['application/pdf'], 'picture'],
    ['a script', 'image/bmp', Buffer.from('#!/bin/sh\n'), 'picture'],
    ['nothing', 'image/png', Buffer.alloc(0), 'picture'],
  ])('judges %s by its bytes', async (_what, type, data, expected) => {
    const place = expected === 'clean' ? '' : ' xl/media/image1.png';
    expect(await judged(declaredAs('xl/media/image1.png', type, data))).toBe(expected + place);
  });

  it.each([
    ['device settings', Buffer.from('H\0P\0 \0L\0'), 'clean'],
    ['settings of macOS', Buffer.from('<?xml version="1.0"?><plist/>'), 'clean'],
    ['a program', PROGRAM, 'unknown-part xl/printerSettings/printerSettings1.bin'],
    [
      'an ELF program',
      Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(99)]),
      'unknown-part xl/printerSettings/printerSettings1.bin',
    ],
    ['a script', Buffer.from('#!/bin/sh\n'), 'unknown-part xl/printerSettings/printerSettings1.bin'],
  ])('judges printer settings that are %s', async (_what, data, expected) => {
    const type = `${SHEETS}printerSettings`;
    expect(await judged(declaredAs('xl/printerSettings/printerSettings1.bin', type, data))).toBe(expected);
  });

  it('refuses two parts whose names differ in case or escapes', async () => {
    expect(await judged(xlsx(textPart('[content_types].xml', contentTypes())))).toBe('entry-name');
    expect(await judged(xlsx(textPart('xl/a b.xml', '<a/>'), textPart('xl/a%20b.xml', '<a/>')))).toBe(
      'entry-name',
    );
    expect(await judged(xlsx(textPart('../a.xml', '<a/>')))).toBe('entry-name');
  });
});

describe('workbook relationships', () => {
  it.each([
    ['http://schemas.microsoft.com/office/2006/relationships/vbaProject', 'macros'],
    ['http://schemas.microsoft.com/office/2006/relationships/VBA&#112;roject', 'macros'],
    ['http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet', 'macros'],
    ['dialogsheet', 'macros'],
    ['attachedToolbars', 'macros'],
    ['http://schemas.microsoft.com/office/2006/relationships/activeXControlBinary', 'embedded-object'],
    ['http://purl.oclc.org/ooxml/officeDocument/relationships/oleObject', 'embedded-object'],
    ['oleObject', 'embedded-object'],
    ['package', 'embedded-object'],
    ['control', 'embedded-object'],
    ['externalLink', 'external-link'],
    ['externalLinkPath', 'external-link'],
    [
      'http://schemas.microsoft.com/office/2006/relationships/xlExternalLinkPath/xlPathMissing',
      'external-link',
    ],
    ['connections', 'connection'],
    ['queryTable', 'connection'],
    ['xmlMaps', 'connection'],
    ['volatileDependencies', 'connection'],
    ['http://schemas.microsoft.com/office/2011/relationships/webextension', 'extension'],
    ['http://schemas.microsoft.com/office/2011/relationships/webextensiontaskpanes', 'extension'],
    ['http://schemas.microsoft.com/office/2006/relationships/ui/extensibility', 'extension'],
    ['http://schemas.microsoft.com/office/2007/relationships/ui/userCustomization', 'extension'],
    ['video', 'unknown-part'],
    ['aFChunk', 'unknown-part'],
    ['', 'unknown-part'],
  ])('refuses the type %j anywhere', async (type, rule) => {
    for (const name of ['xl/_rels/workbook.xml.rels', 'a/b/_rels/C.XML.RELS'])
      expect(await judged(xlsx(textPart(name, relationships([type, 'plain.bin']))))).toMatch(
        new RegExp(`^${rule} `),
      );
  });

  it.each([
    ['hyperlink', 'https://bank.example.test/oleObject', 'clean'],
    ['hyperlink', 'HTTP://bank.example.test', 'clean'],
    ['hyperlink', 'mailto:a@example.test', 'clean'],
    ['hyperlink', '#Sheet1!A1', 'clean'],
    ['hyperlink', 'file:///c:/x.exe', 'hyperlink'],
    ['hyperlink', 'FILE://server/x', 'hyperlink'],
    ['hyperlink', '\\\\server\\share\\x', 'hyperlink'],
    ['hyperlink', '//server/share', 'hyperlink'],
    ['hyperlink', 'c:\\windows\\calc.exe', 'hyperlink'],
    ['hyperlink', 'javascript:alert(1)', 'hyperlink'],
    ['hyperlink', ' javascript:alert(1)', 'hyperlink'],
    ['hyperlink', 'java&#9;script:alert(1)', 'hyperlink'],
    ['hyperlink', 'ftp://server/x', 'hyperlink'],
    ['hyperlink', 'ms-word:ofe|u|https://x', 'hyperlink'],
    ['hyperlink', 'search-ms:query=x', 'hyperlink'],
    ['hyperlink', 'data:text/html,x', 'hyperlink'],
    ['hyperlink', 'https:\\\\server', 'hyperlink'],
    ['hyperlink', 'calc.exe', 'hyperlink'],
    ['hyperlink', '../x.lnk', 'hyperlink'],
    ['hyperlink', '#\\\\server\\share', 'hyperlink'],
    ['hyperlink', 'www.bank.example.test/rates', 'clean'],
    ['hyperlink', 'www./../../../Windows/System32/calc.exe', 'hyperlink'],
    ['hyperlink', 'www.a/%2E%2e/calc.exe', 'hyperlink'],
    ['hyperlink', 'www.a\\x.exe', 'hyperlink'],
    ['hyperlink', '[run].exe', 'hyperlink'],
    ['hyperlink', '[a]/../../x.exe', 'hyperlink'],
    ['image', 'https://tracker.example.test/a.png', 'linked-picture'],
    ['image', '\\\\server\\a.png', 'linked-picture'],
    ['image', 'a.png', 'linked-picture'],
    ['worksheet', 'https://x.example.test/a.xml', 'external-link'],
    ['pivotCacheDefinition', 'file:///a.xml', 'external-link'],
  ])('judges an external %s to %s', async (type, target, expected) => {
    const found = await judged(xlsx(relationshipsOfSheet([type, target, 'External'])));
    expect(found).toBe(expected === 'clean' ? expected : `${expected} xl/worksheets/_rels/sheet1.xml.rels`);
  });

  it.each([
    ['image', '../media/image1.png', 'clean'],
    ['image', '/xl/media/image1.png', 'clean'],
    ['image', 'NULL', 'clean'],
    ['hyperlink', '#Sheet1!A1', 'clean'],
    ['ctrlProp', '../ctrlProps/ctrlProp1.xml', 'clean'],
    ['image', 'https://tracker.example.test/a.png', 'linked-picture'],
    ['image', 'file:///a.png', 'linked-picture'],
    ['image', '\\\\server\\a.png', 'linked-picture'],
    ['image', '//server/a.png', 'linked-picture'],
    ['drawing', 'ftp://server/a', 'external-link'],
    ['hyperlink', 'file:///c:/x.exe', 'hyperlink'],
    ['hyperlink', '../../calc.exe', 'hyperlink'],
  ])('judges an internal %s to %s', async (type, target, expected) => {
    expect(await ruleOf(xlsx(relationshipsOfSheet([type, target])))).toBe(expected);
  });
});
