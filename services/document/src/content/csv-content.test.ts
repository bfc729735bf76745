import { samplePdf } from '../../testing/sample-files.ts';
import { contentCheck } from './content-check.ts';

const ASCII_PDF = samplePdf().toString('latin1');

async function matches(type: string, bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<boolean> {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return check.matches();
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
    ['Tax free amount', 'free'],
    ['Car wide load', 'wide'],
    ['The moov', 'moov'],
    ['BM', 'BMP'],
    ['MZ', 'a program'],
    ['GIF8', 'GIF'],
    ['II*', 'TIFF'],
    ['IIRO', 'Olympus'],
    ['MM', 'TIFF'],
    ['BZh', 'bzip2'],
    ['ID3', 'MP3'],
    ['MP+', 'Musepack'],
    ['AWS', 'Flash'],
    ['CWS', 'Flash'],
    ['FWS', 'Flash'],
    ['FLIF', 'FLIF'],
    ['8BPS', 'Photoshop'],
    ['MPCK', 'Musepack'],
    ['FORM', 'AIFF'],
    ['icns', 'icons'],
    ['PK', 'ZIP'],
    ['OggS', 'Ogg'],
    ['MThd', 'MIDI'],
    ['wOFFOTTO', 'a font'],
    ['wOF2OTTO', 'a font'],
    ['DSD ', 'DSD'],
    ['LZIP', 'lzip'],
    ['fLaC', 'FLAC'],
    ['wvpk', 'WavPack'],
    ['%PDF', 'PDF'],
    ['MAC ', 'Monkey’s Audio'],
    ['SQLi', 'SQLite'],
    ['Cr24', 'a browser extension'],
    ['MSCF', 'a cabinet'],
    ['ISc(', 'a cabinet'],
    ['!BDN', 'Outlook'],
    ['PAR1', 'Parquet'],
    ['PARE', 'Parquet'],
    ['ttcf', 'a font'],
    ['regf', 'a registry'],
    ['$FL2', 'SPSS'],
    ['$FL3', 'SPSS'],
    ['IMPM', 'Impulse Tracker'],
    ['A -lh5-', 'LZH'],
    ['ITSF', 'help'],
    ['.RMF', 'RealMedia'],
    ['DRACO', 'Draco'],
    ['Rar!', 'RAR'],
    ['solid ', 'STL'],
    ['AC1032', 'AutoCAD'],
    ['070707', 'cpio'],
    ['BLENDER', 'Blender'],
    ['!<arch>', 'ar'],
    ['WEBVTT ', 'subtitles'],
    ['ARROW1', 'Arrow'],
    ['gimp xcf ', 'GIMP'],
    ['The ftypisom', 'MP4'],
    ['REGEDIT4', 'a registry script'],
    ['RIFF sizeWEBP', 'WebP'],
    ['RIFF sizeAVI', 'AVI'],
    ['RIFF sizeWAVE', 'WAVE'],
    ['FRM8', 'DSDIFF'],
    ['1234567**ACE**', 'ACE'],
    ['BEGIN:VCARD', 'a contact'],
    ['BEGIN:VCALENDAR', 'a calendar'],
    ['FUJIFILMCCD-RAW', 'a photograph'],
    ['Extended Module:', 'a tracker'],
    ['Creative Voice File', 'VOC'],
    ['Obj', 'Avro'],
    ['glTF', 'glTF'],
    ['FLV', 'Flash'],
    [`${'x'.repeat(36)}acsp`, 'a colour profile'],
    [`${'x'.repeat(44)}SCRM`, 'Scream Tracker'],
    [`${'x'.repeat(60)}BOOKMOBI`, 'a book'],
    [`${'x'.repeat(128)}DICM`, 'DICOM'],
    [`${'x'.repeat(257)}ustar`, 'tar'],
    [`G${'x'.repeat(187)}G`, 'MPEG'],
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
    ['markup', '<html><body>a,b</body></html>'],
    ['markup and then a comma', '<script>,alert(1)'],
    ['markup with a comma in an attribute', '<x onclick="a>,b">'],
    ['markup after white space', '\u{FEFF}\n  <script>alert(1)</script>'],
    ['XML', '<?xml version="1.0"?><a/>'],
    ['a script', '#!/bin/sh\nrm -rf x\n'],
    ['PostScript', '%!PS-Adobe-3.0\n'],
    ['rich text', '{\\rtf1 a,b}'],
    ['a PDF after a few bytes', `a,b\n${samplePdf()}`],
    ['a PDF of ASCII only', `${ASCII_PDF}`],
    [
      'a PDF with its objects far from its beginning',
      `%PDF-1.4\n${'%\n'.repeat(100_000)}1 0 obj\n<<>>\nendobj\n`,
    ],
    ['a message', '-----BEGIN PGP MESSAGE-----\n'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\n'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a markup comment', '<!-- a,b --><p>'],
    ['a markup end tag', '</p><script>'],
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
