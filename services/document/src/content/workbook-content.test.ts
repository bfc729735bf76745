import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { PROGRAM, SAMPLE_FILES } from '../../testing/sample-files.ts';
import { contentTypes, relationships, textPart, workbookOf, xlsx, zip } from '../../testing/zip-writer.ts';
import { contentCheck } from './content-check.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const MAIN_TYPE = `${XLSX}.main+xml`;
const MACRO_TYPE = 'application/vnd.ms-excel.sheet.macroEnabled.main+xml';
const MIB = 1024 * 1024;
const MAIN = 'xl/workbook.xml';

/** Resolves to the rule that refuses the bytes, and the place; `clean` if none does. */
async function judged(bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<string> {
  const check = contentCheck(XLSX);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  const fault = await check.fault();
  return fault ? `${fault.rule.replace('workbook-', '')} ${fault.part ?? ''}`.trim() : 'clean';
}

const SHEET = 'xl/worksheets/sheet1.xml';
const sheet = (inside: string) => textPart(SHEET, `<worksheet>${inside}</worksheet>`);
const cell = (formula: string) =>
  sheet(`<sheetData><row r="1"><c r="B7"><f>${escaped(formula)}</f></c></row></sheetData>`);
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const rels = (...declared: Parameters<typeof relationships>) =>
  textPart('xl/worksheets/_rels/sheet1.xml.rels', relationships(...declared));
const declaredAs = (name: string, type: string, data: Uint8Array) =>
  workbookOf(contentTypes(`<Override PartName="/${name}" ContentType="${type}"/>`), { name, data });
const XML = Buffer.from('<a/>');

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

describe('workbook parts', () => {
  it.each([
    ['xl/vbaProject.bin', 'application/vnd.ms-office.vbaProject', 'macros'],
    ['xl/plain.bin', 'APPLICATION/VND.MS-OFFICE.VBAPROJECT', 'macros'],
    ['xl/plain.xml', 'application/vnd.ms-office.vb&#x61;Proj&#101;ct', 'macros'],
    ['xl/plain.xml', MACRO_TYPE, 'macros'],
    ['xl/macrosheets/sheet1.xml', 'application/vnd.ms-excel.macrosheet+xml', 'macros'],
    ['xl/macrosheets/sheet1.xml', 'application/xml', 'macros'],
    ['xl/plain.xml', 'application/vnd.ms-excel.intlmacrosheet+xml', 'macros'],
    ['xl/dialogsheets/sheet1.xml', `${XLSX.slice(0, -5)}dialogsheet+xml`, 'macros'],
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
    ['xl/externalLinks/externalLink1.xml', `${XLSX.slice(0, -5)}externalLink+xml`, 'external-link'],
    ['xl/plain.xml', `${XLSX.slice(0, -5)}externalLink+xml`, 'external-link'],
    ['xl/connections.xml', `${XLSX.slice(0, -5)}connections+xml`, 'connection'],
    ['xl/plain.xml', `${XLSX.slice(0, -5)}connections+xml`, 'connection'],
    ['xl/queryTables/queryTable1.xml', `${XLSX.slice(0, -5)}queryTable+xml`, 'connection'],
    ['xl/volatileDependencies.xml', `${XLSX.slice(0, -5)}volatileDependencies+xml`, 'connection'],
    ['xl/model/item.data', 'application/vnd.openxmlformats-officedocument.model+data', 'connection'],
    ['xl/webextensions/taskpanes.xml', 'application/vnd.ms-office.webextensiontaskpanes+xml', 'extension'],
    ['xl/webextensions/webextension1.xml', 'application/vnd.ms-office.webextension+xml', 'extension'],
    ['customUI/customUI14.xml', 'application/xml', 'extension'],
    ['xl/plain.js', 'application/javascript', 'unknown-part'],
    ['xl/plain.bin', 'application/octet-stream', 'unknown-part'],
    ['xl/plain.html', 'text/html', 'unknown-part'],
  ])('refuses %s of type %s', async (name, type, rule) => {
    const [found] = (await judged(declaredAs(name, type, XML))).split(' ');
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
    const type = `${XLSX.slice(0, -5)}printerSettings`;
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
    ['image', 'https://tracker.example.test/a.png', 'linked-picture'],
    ['image', '\\\\server\\a.png', 'linked-picture'],
    ['image', 'a.png', 'linked-picture'],
    ['worksheet', 'https://x.example.test/a.xml', 'external-link'],
    ['pivotCacheDefinition', 'file:///a.xml', 'external-link'],
  ])('judges an external %s to %s', async (type, target, expected) => {
    const found = await judged(xlsx(rels([type, target, 'External'])));
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
  ])('judges an internal %s to %s', async (type, target, expected) => {
    expect((await judged(xlsx(rels([type, target])))).split(' ')[0]).toBe(expected);
  });
});

describe('workbook formulas', () => {
  it.each([
    'WEBSERVICE("http://x.test")',
    '_xlfn.WEBSERVICE(A1)',
    '1+_xlfn._xlws.webservice (A1)',
    'COM.MICROSOFT.WEBSERVICE(A1)',
    'FILTERXML(_xlfn.WEBSERVICE("http://x.test"),"//a")',
    '_xlfn.IMAGE("http://x.test/a.png")',
    'RTD("prog",,"a")',
    'CALL("kernel32","WinExec","JCJ","calc",0)',
    'REGISTER("a","b")',
    'REGISTER.ID("a","b")',
    'EXEC("calc")',
    'DDE("cmd";"/C calc";"x")',
    "cmd|' /C calc'!A0",
    "CMD | '/C calc' ! A0",
    "SUM(1,cmd|'/C calc'!A0)",
    "'cmd'|'/C calc'!A0",
    `'a"b'!A1+cmd|'x'!A0+'c"d'!A1`,
    `Table1['[]+cmd|'x'!A0+Table1['[]`,
    '_xlws.PY(0)',
  ])('refuses %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe(`formula ${SHEET}!B7`);
  });

  it.each([
    'SUM(A1:A3)',
    '-A1',
    '"WEBSERVICE(""x"")"',
    '"cmd|\' /C calc\'!A0"',
    "'WEBSERVICE(1)'!A1",
    "'cmd|x'!A1",
    'Table1[a|b]',
    'Table1[[#This Row],[in | out]]',
    'FILTERXML("<t><s>"&SUBSTITUTE(A1,",","</s><s>")&"</s></t>","//s")',
    'RECALL(1)',
    'CALLS(1)',
    'DRUN(1)',
    'WEBSERVICE',
    '[0]!Name',
    '[1]Sheet1!A1',
    'HYPERLINK("https://bank.example.test/","Ref: 5")',
    'HYPERLINK("mailto:a@example.test")',
    'HYPERLINK("#Sheet2!A1","go")',
    'HYPERLINK("[Book.xlsx]Sheet2!A1")',
    'HYPERLINK(A1,"file: x")',
    'HYPERLINK("https://bank.example.test/"&A1,A2)',
    'HYPERLINK(IF(A1="","","#"&A1),"x")',
    'HYPERLINK("www.bank.example.test")',
  ])('accepts %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe('clean');
  });

  it.each([
    'HYPERLINK("file:///c:/x.exe","go")',
    'hyperlink ( "\\\\server\\share\\x" )',
    'HYPERLINK("//server/share/x")',
    'HYPERLINK("javascript:alert(1)")',
    'HYPERLINK("fi"&"le:///c:/x.exe")',
    'HYPERLINK("file:///"&A1)',
    'HYPERLINK(IF(A1,"https://a.test","ftp://a.test"))',
    'HYPERLINK("calc.exe")',
    'HYPERLINK("..\\x.lnk")',
    'IF(1,HYPERLINK("https://a.test"),HYPERLINK("file:x"))',
  ])('refuses the link of %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe(`hyperlink ${SHEET}!B7`);
  });

  it.each([
    '[book.xlsx]Sheet1!A1',
    "'[book.xlsx]Sheet 1'!A1",
    "'c:\\secret\\[book.xlsx]Sheet1'!A1",
    "'\\\\server\\share\\[book.xlsx]Sheet1'!A1",
    "'https://x.test/[book.xlsx]Sheet1'!A1",
    "'\\\\server\\share\\book.xlsx'!Name",
  ])('refuses the reference to another file of %s', async (formula) => {
    expect(await judged(xlsx(cell(formula)))).toBe(`external-link ${SHEET}!B7`);
  });

  const DANGEROUS = 'WEBSERVICE(&quot;http://x.test&quot;)';
  it.each([
    [
      'a shared formula',
      sheet(
        `<sheetData><row><c r="B7"><f t="shared" si="0" ref="A1:A2">${DANGEROUS}</f></c></row></sheetData>`,
      ),
    ],
    [
      'an array formula',
      sheet(`<sheetData><row><c r="B7"><f t="array" ref="A1:A2">${DANGEROUS}</f></c></row></sheetData>`),
    ],
    [
      'a CDATA section',
      sheet('<sheetData><row><c r="B7"><f>WEB<![CDATA[SERVICE(A1)]]></f></c></row></sheetData>'),
    ],
    ['references', sheet('<sheetData><row><c r="B7"><f>WEB&#83;ERVICE(A1)</f></c></row></sheetData>')],
    [
      'a prefix',
      sheet(`<x:sheetData><x:row><x:c r="B7"><x:f>${DANGEROUS}</x:f></x:c></x:row></x:sheetData>`),
    ],
    [
      'a conditional format',
      sheet(
        `<conditionalFormatting><cfRule><formula>${DANGEROUS}</formula></cfRule></conditionalFormatting>`,
      ),
    ],
    [
      'a colour scale',
      sheet(`<cfRule><colorScale><cfvo type="formula" val="${DANGEROUS}"/></colorScale></cfRule>`),
    ],
    [
      'an extended format',
      sheet(`<extLst><ext><x14:cfRule><xm:f>${DANGEROUS}</xm:f></x14:cfRule></ext></extLst>`),
    ],
    [
      'a data validation',
      sheet(`<dataValidation><formula1>1</formula1><formula2>${DANGEROUS}</formula2></dataValidation>`),
    ],
    [
      'a defined name',
      textPart('xl/names.xml', `<workbook><definedName name="a">${DANGEROUS}</definedName></workbook>`),
    ],
    [
      'a table column',
      textPart(
        'xl/tables/table1.xml',
        `<table><calculatedColumnFormula>${DANGEROUS}</calculatedColumnFormula></table>`,
      ),
    ],
    [
      'a table total',
      textPart('xl/tables/table1.xml', `<table><totalsRowFormula>${DANGEROUS}</totalsRowFormula></table>`),
    ],
    [
      'a pivot field',
      textPart(
        'xl/pivotCache/a.xml',
        `<pivotCacheDefinition><cacheField formula="${DANGEROUS}"/></pivotCacheDefinition>`,
      ),
    ],
    ['a shape', textPart('xl/drawings/drawing1.xml', `<wsDr><sp textlink="${DANGEROUS}"/></wsDr>`)],
    ['a form control', textPart('xl/ctrlProps/a.xml', `<formControlPr fmlaLink="${DANGEROUS}"/>`)],
    ['a chart', textPart('xl/charts/chart1.xml', `<c:chartSpace><c:f>${DANGEROUS}</c:f></c:chartSpace>`)],
  ])('refuses a formula in %s', async (_where, part) => {
    expect(await judged(xlsx(part))).toMatch(/^formula xl\//);
  });

  it('does not judge texts', async () => {
    const strings = textPart(
      'xl/sharedStrings.xml',
      `<sst><si><t>=${DANGEROUS}</t></si><si><t>=cmd|' /C calc'!A0</t></si></sst>`,
    );
    const inline = sheet(
      `<sheetData><row><c t="inlineStr"><is><t>${DANGEROUS}</t></is></c><c><v>cmd|'x'!A</v></c></row></sheetData>`,
    );
    expect(await judged(xlsx(strings, inline))).toBe('clean');
  });

  it('takes time linear in the number of links', async () => {
    expect(await judged(xlsx(cell('HYPERLINK('.repeat(65))))).toBe(`unreadable ${SHEET}!B7`);
    expect(await judged(xlsx(cell(`"${'x'.repeat(40_000)}"`)))).toBe(`unreadable ${SHEET}!B7`);
  });
});

describe('workbook markup', () => {
  it.each([
    [
      'a pivot cache of a connection',
      '<pivotCacheDefinition><cacheSource type="external" connectionId="1"/></pivotCacheDefinition>',
      'connection',
    ],
    [
      'a Power Query',
      '<DataMashup xmlns="http://schemas.microsoft.com/DataMashup">AAAA</DataMashup>',
      'connection',
    ],
    ['a DDE link', '<externalLink><ddeLink ddeService="cmd" ddeTopic="/C calc"/></externalLink>', 'formula'],
    ['an OLE link', '<externalLink><oleLink progId="a"/></externalLink>', 'external-link'],
    [
      'a name that runs by itself',
      '<workbook><definedName name="_xlnm.Auto_Open">A1</definedName></workbook>',
      'macros',
    ],
    [
      'a place on a server',
      '<worksheet><hyperlink ref="A1" location="\\\\server\\share"/></worksheet>',
      'hyperlink',
    ],
    ['a document type', '<!DOCTYPE a><a/>', 'doctype'],
    ['an entity', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'doctype'],
    ['an unknown entity', '<a>&b;</a>', 'unreadable'],
    ['no end', '<a><b></a>', 'unreadable'],
    ['two attributes of the same name', '<a b="1" b="2"/>', 'unreadable'],
    ['text around it', 'x<a/>', 'unreadable'],
    ['nothing', '', 'unreadable'],
    ['a program', PROGRAM.toString('latin1'), 'unreadable'],
    ['too many levels', `${'<a>'.repeat(300)}${'</a>'.repeat(300)}`, 'unreadable'],
    ['one text of 9 MB', `<a>${randomBytes(4_500_000).toString('hex')}</a>`, 'unreadable'],
    ['an internal place', '<worksheet><hyperlink ref="A1" location="\'My Sheet\'!A1"/></worksheet>', 'clean'],
    [
      'a pivot cache of a sheet',
      '<pivotCacheDefinition><cacheSource type="worksheet"/></pivotCacheDefinition>',
      'clean',
    ],
    ['data of its own', '<b:Data xmlns:b="urn:x"><b:script>alert(1)</b:script></b:Data>', 'clean'],
  ])('judges a part with %s', async (_what, text, expected) => {
    expect((await judged(xlsx(textPart('xl/item1.xml', text)))).split(' ')[0]).toBe(expected);
  });

  const utf16 = (text: string, mark = '\ufeff') => Buffer.from(mark + text, 'utf16le');
  it.each([
    ['UTF-16', utf16('<?xml version="1.0" encoding="UTF-16"?><a>ü</a>'), 'clean'],
    [
      'UTF-16 in the other byte order',
      utf16('<?xml version="1.0" encoding="utf-16"?><a/>').swap16(),
      'clean',
    ],
    ['UTF-16 without a mark', utf16('<?xml version="1.0" encoding="UTF-16"?><a/>', ''), 'clean'],
    ['UTF-16 without a declaration', utf16('<a/>'), 'clean'],
    ['UTF-8 with a mark', Buffer.from('\ufeff<?xml version="1.0" encoding="utf-8"?><a/>'), 'clean'],
    ['ASCII', Buffer.from('<?xml version="1.0" encoding="US-ASCII"?><a/>'), 'clean'],
    [
      'UTF-16 with half a character',
      utf16('<?xml version="1.0" encoding="UTF-16"?><a/>').subarray(0, -1),
      'unreadable',
    ],
    ['UTF-16 that declares UTF-8', utf16('<?xml version="1.0" encoding="UTF-8"?><a/>'), 'unreadable'],
    ['UTF-8 that declares UTF-16', Buffer.from('<?xml version="1.0" encoding="UTF-16"?><a/>'), 'unreadable'],
    ['bytes that are not UTF-8', Buffer.from('<a>\xff</a>', 'latin1'), 'unreadable'],
    ['another encoding', Buffer.from('<?xml version="1.0" encoding="IBM037"?><a/>'), 'unreadable'],
    ['UTF-7', Buffer.from('<?xml version="1.0" encoding="UTF-7"?><a/>'), 'unreadable'],
  ])('judges a part in %s', async (_what, data, expected) => {
    expect((await judged(xlsx({ name: 'xl/item1.xml', data }))).split(' ')[0]).toBe(expected);
  });

  it('finds formulas and relationships in UTF-16', async () => {
    const data = utf16('<?xml version="1.0" encoding="UTF-16"?><worksheet><f>WEBSERVICE(A1)</f></worksheet>');
    expect(await judged(xlsx({ name: SHEET, data }))).toBe(`formula ${SHEET}`);
    const links = relationships(['oleObject', 'a.bin']).replace('UTF-8', 'UTF-16');
    expect(await judged(xlsx({ name: 'xl/_rels/workbook.xml.rels', data: utf16(links) }))).toMatch(
      /^embedded-object /,
    );
  });

  const VML = 'application/vnd.openxmlformats-officedocument.vmlDrawing';
  it.each([
    [
      'a comment',
      '<xml><v:shape id="a"><v:fill color2="#ffffe1"/><v:shadow on="t"/><div>a<br>b</div></v:shape></xml>',
      'clean',
    ],
    [
      'a picture of the package',
      '<xml><v:shape><v:imagedata o:relid="rId1" o:title="x"/></v:shape></xml>',
      'clean',
    ],
    ['a web link', '<xml><v:shape href="https://bank.example.test/"/></xml>', 'clean'],
    [
      'a picture from the web',
      '<xml><v:shape><v:imagedata src="https://x.test/a.png"/></v:shape></xml>',
      'linked-picture',
    ],
    [
      'a picture from a share',
      '<xml><v:shape><v:imagedata o:href="\\\\server\\a.png"/></v:shape></xml>',
      'linked-picture',
    ],
    [
      'a fill from the web',
      '<xml><v:shape><v:fill src="http://x.test/a.png"/></v:shape></xml>',
      'linked-picture',
    ],
    ['a link to a file', '<xml><v:shape href="file:///c:/x.exe"/></xml>', 'hyperlink'],
    ['a script', '<xml><script>alert(1)</script></xml>', 'picture'],
    ['a formula', '<xml><x:FmlaLink>WEBSERVICE(A1)</x:FmlaLink></xml>', 'formula'],
    ['a document type', '<!DOCTYPE xml><xml/>', 'doctype'],
  ])('judges a legacy drawing with %s', async (_what, text, expected) => {
    const [found] = (await judged(declaredAs('xl/drawings/vmlDrawing1.vml', VML, Buffer.from(text)))).split(
      ' ',
    );
    expect(found).toBe(expected);
  });

  it.each([
    ['shapes', '<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="#a"/></svg>', 'clean'],
    ['an inner picture', '<svg><image href="data:image/png;base64,AA"/></svg>', 'clean'],
    ['a script', '<svg><script>alert(1)</script></svg>', 'picture'],
    ['a handler', '<svg onload="alert(1)"/>', 'picture'],
    ['a page', '<svg><foreignObject/></svg>', 'picture'],
    ['a picture from the web', '<svg><image xlink:href="https://x.test/a.png"/></svg>', 'linked-picture'],
    ['a link to a script', '<svg><a href="javascript:alert(1)"/></svg>', 'hyperlink'],
  ])('judges a vector picture with %s', async (_what, text, expected) => {
    const [found] = (
      await judged(declaredAs('xl/media/image1.svg', 'image/svg+xml', Buffer.from(text)))
    ).split(' ');
    expect(found).toBe(expected);
  });

  it.each([
    ['tags without ends', '<Relationship '],
    ['quotes that never end', '<Relationship a="\''],
    ['comments without ends', '<!--'],
    ['one long name', 'a'],
    ['white space', ' '],
  ])('takes time linear in the size of the input: %s', async (_what, part) => {
    const data = Buffer.concat([Buffer.from('<Relationship '), Buffer.from(part.repeat(500_000))]);
    expect(await judged(xlsx({ name: 'xl/_rels/workbook.xml.rels', data }))).toMatch(
      /^(?:unreadable|too-large)/,
    );
    expect(deflateSync(data).length).toBeLessThan(MIB);
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
