import { samplePdf } from '../../testing/sample-files.ts';
import { contentCheck } from './content-check.ts';

const ASCII_PDF = samplePdf().toString('latin1');

async function matches(type: string, bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<boolean> {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return (await check.fault()) === undefined;
}

/** Resolves to the rule and place that refuse the text. */
async function judged(content: string, chunkBytes?: number): Promise<string> {
  const bytes = Buffer.from(content);
  const check = contentCheck('text/csv');
  const step = chunkBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += step) check.take(bytes.subarray(at, at + step));
  const fault = await check.fault();
  return fault ? `${fault.rule} ${fault.part ?? ''}`.trim() : 'clean';
}

/** Formats that are recognised only when the first line contains nothing else. */
const isOwnLine = /^(?:!<arch>|REGEDIT4|BEGIN:V.*)$/;

describe('CSV content check', () => {
  const csv = 'text/csv';
  const text = (content: string) => matches(csv, Buffer.from(content));

  it.each([
    ['a byte order mark', '\u{FEFF}name;sum\nMüller;12,50 €\n'],
    ['one column', 'total\n1\n'],
    ['letters with which file formats begin', 'BM\nMZ\n'],
    ['names in angle brackets', '<DATE>,<OPEN>,<CLOSE>\n2026-01-02,1,2\n'],
    ['an angle bracket that does not begin markup', '< 30 days,> 30 days\n1,2\n'],
  ])('accepts a table with %s', async (_what, content) => {
    expect(await text(content)).toBe(true);
  });

  it.each([
    ['BM', 'BMP'],
    ['MZ', 'a program'],
    ['PK', 'ZIP'],
    ['%PDF', 'PDF'],
    ['solid ', 'STL'],
    ['!<arch>', 'ar'],
    ['WEBVTT ', 'subtitles'],
    ['The ftypisom', 'MP4'],
    ['REGEDIT4', 'a registry script'],
    ['BEGIN:VCARD', 'a contact'],
    ['BEGIN:VCALENDAR', 'a calendar'],
    [`${'x'.repeat(257)}ustar`, 'tar'],
    ['ID;Product', 'SYLK'],
    ['{"name"}', 'JSON'],
    ['# of invoices', 'a comment'],
    ['% of turnover', 'a comment'],
    ['-----', 'a line'],
    ['From: date', 'a mail'],
  ])('accepts a table that begins with %j, as %s does', async (start) => {
    for (const rest of [' amount,total\n1,2\n', ',total\n1,2\n', ';total\r\n1;2\r\n', '\n1\n'])
      for (const mark of ['', '\u{FEFF}'])
        expect([rest, mark, await text(mark + start + rest)]).toEqual([
          rest,
          mark,
          !(rest === '\n1\n' && isOwnLine.test(start)),
        ]);
  });

  it('accepts a table that mentions a PDF header', async () => {
    expect(await text('file,begins with\nstatement.pdf,%PDF-1.7\nobject,%PDF-\n')).toBe(true);
  });

  it('accepts characters split across two chunks', async () => {
    expect(await matches(csv, Buffer.from('naïve,€,𝄞\n'.repeat(50)), 1)).toBe(true);
  });

  it.each([
    ['NUL', 'a,b\0c\n'],
    ['markup and then a comma', '<script>,alert(1)'],
    ['markup with a comma in an attribute', '<x onclick="a>,b">'],
    ['rich text', '{\\rtf1 a,b}'],
    ['a PDF after a few bytes', `a,b\n${samplePdf()}`],
    ['a PDF of ASCII only', `${ASCII_PDF}`],
    [
      'a PDF with its objects far from its beginning',
      `%PDF-1.4\n${'%\n'.repeat(100_000)}1 0 obj\n<<>>\nendobj\n`,
    ],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['markup after more white space than is buffered', `${' '.repeat(70_000)}<script>alert(1)</script>`],
    ['PostScript after printer commands', '\x04%!PS\n'],
    ['a printer job', '\x1b%-12345X@PJL\n'],
    ['a contact', 'BEGIN:VCARD\r\nVERSION:3.0\r\n'],
    ['a calendar', 'BEGIN:VCALENDAR\nVERSION:2.0\n'],
    ['a registry script', 'REGEDIT4\r\n[HKEY_CURRENT_USER]\r\n'],
    ['a later registry script', '\u{FEFF}Windows Registry Editor Version 5.00\r\n'],
    ['an HTML page in an email', 'MIME-Version: 1.0\nContent-Type: text/html\n\n<script>'],
    ['subtitles', 'WEBVTT\n\n00:01.000 --> 00:02.000\n'],
    ['a solid', 'solid cube\n  facet normal 0 0 1\n'],
    ['a library', '!<arch>\nx/ 0 0 0 644 2 `\n'],
  ])('rejects %s', async (_what, content) => {
    expect(await text(content)).toBe(false);
  });

  it('rejects content that is not UTF-8, including at its end', async () => {
    expect(await matches(csv, Buffer.from('caf\xe9,1\n', 'latin1'))).toBe(false);
    expect(await matches(csv, Buffer.from('a,b\n\xe2\x82', 'latin1'))).toBe(false);
    expect(await matches(csv, Buffer.from('a,b\n', 'utf16le'))).toBe(false);
  });
});

describe('CSV first cell', () => {
  it.each([
    '<Head Office>\t5\n',
    '<none>\n',
    '<none>,1\n',
    'Sam Field <sam@example.com>\n',
    '<sam@example.com>;1\n',
    '<Sam Field>\n1\n',
    '<Body Shop>,12.00\n',
    '<table of contents>\n',
    '<a lot of money,12\n',
    '<5,000>\n',
    '<DATE>\t<TIME>\t<OPEN>\n',
    '</end of list>\n',
    '<!important>,1\n',
    '<?>,1\n',
    '-----BEGIN STATEMENT-----\na,b\n-----END STATEMENT-----\n',
    '-----BEGIN OF LIST-----\n',
    '%!,\n',
    '%!;total\n',
    '%!of turnover,1\n',
    '#!comment\n',
    '#! generated,1\n',
    '#!,\n',
    'ID;Product\n1;2\n',
    'ID;Product;C\n1;2;3\n',
    'ID;P1;P2\n1;2;3\n',
    'ID;Price;f\nB;-1;=SUM(A1:A2)\nC;+44 20|x;=A1|B1\nE;@jo|ann;-5|6\n',
    'ID;Product\nC;X1\nNE;Nebraska\nNN;Eve\n',
    'From: Leeds\nTo: York\n',
  ])('is text when it is %j', async (content) => {
    for (const mark of ['', '\u{FEFF}', '\n ']) expect(await judged(mark + content)).toBe('clean');
  });

  it.each([
    'From: <Saved by x>\r\nSubject: a\r\n b\r\nMIME-Version: 1.0\r\n\r\n<script>',
    '<html>',
    '<HTML lang="en">\n',
    '<script>alert(1)</script>',
    '<script async>alert(1)',
    '<script\n>alert(1)</script>',
    '<head x><title>a</title>',
    '<p hidden>a</p>',
    '<img src=x onerror=alert(1)>',
    '<img\nsrc="x">',
    '<x onclick="alert(1)">',
    '<a href="javascript:1">',
    '</p><script>',
    '<br/>',
    '<!DOCTYPE html>',
    '<!-- a -->',
    '<![CDATA[a]]>',
    '<?xml version="1.0"?>',
    '<?php echo 1;',
    '<?= 1 ?>',
    '#!/bin/sh\n',
    '#! /usr/bin/env python\n',
    '#!python3\n',
    '#!C:\\python.exe\n',
    '%!\nshowpage\n',
    '%!PS\n',
    '%! PS-Adobe-3.0\n',
    '%!FontType1\n',
    '-----BEGIN CERTIFICATE-----\n',
    '-----BEGIN EC PRIVATE KEY-----\n',
    '-----BEGIN PGP PUBLIC KEY BLOCK-----\n',
  ])('is another format when it is %j', async (content) => {
    for (const mark of ['', '\u{FEFF}', '\n ']) expect(await judged(mark + content)).toBe('csv-other-format');
  });
});

describe('SYLK', () => {
  it.each([
    'ID;PWXL;N;E\nC;X1;Y1;K1\nE\n',
    'ID;P\nO;E\nNN;NAuto_open;ER101C1\n',
    'ID;PSCALC3\r\nB;Y1;X1\r\n',
    'ID;P\n',
    'ID;PWXL;N;E',
    `ID;Product\n${'1;2\n'.repeat(40_000)}C;X1;Y1;EEXEC("calc")\n`,
    'ID;Product\nE',
    "ID;NX;E\nC;Y1;X1;K0;Ecmd|'/C calc'!A0\n",
    "id;p\nc;k0;ecmd|'/C calc'!A0\ne\n",
    'ID;PX\nNE;E\\\\server\\a.xls;FR1C1;SR1C1\n',
    'ID;PWXL;N;E\n1;2\n',
  ])('is refused however it arrives: %#', async (content) => {
    for (const chunkBytes of [1, 2, 3, 7, 65_536]) expect(await judged(content, chunkBytes)).toBe('csv-sylk');
  });
});

describe('CSV search across chunks', () => {
  it('finds a PDF whatever the chunks', async () => {
    const content = `a,b\n%PDF-1.4\n${'%\n'.repeat(700)}1 0 obj`;
    for (const chunkBytes of [1, 2, 3, 4, 5, 6, 7, 64, 1_000])
      for (const end of ['', '\n', '<<'])
        expect(await judged(content + end, chunkBytes)).toBe('csv-other-format');
    for (const chunkBytes of [1, 2, 3, 4, 5, 6, 7, 64, 1_000])
      expect(await judged(`${content}ect\n`, chunkBytes)).toBe('clean');
  });
});
