import { PROGRAM, SAMPLE_FILES, samplePdf } from '../../../testing/sample-files.ts';
import { xlsx, zip } from '../../../testing/zip-writer.ts';
import { CONTENT_TYPES, type ContentType } from '../../domain/content-types.ts';
import { contentCheck } from './content-check.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const archive = zip({ name: 'a.txt', data: Buffer.from('a') });

async function matches(type: string, bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<boolean> {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return check.matches();
}

describe.each(CONTENT_TYPES)('the content of %s', (type: ContentType) => {
  it('matches in chunks of any size', async () => {
    for (const chunkBytes of [1, 7, 1_000_000])
      expect(await matches(type, SAMPLE_FILES[type], chunkBytes)).toBe(true);
  });

  it.each(CONTENT_TYPES.filter((other) => other !== type))('is not %s', async (other) => {
    expect(await matches(type, SAMPLE_FILES[other])).toBe(false);
  });

  it.each([
    ['a program', PROGRAM],
    ['an archive', archive],
    ['a page of HTML', Buffer.from('<!DOCTYPE html><html><script>alert(1)</script></html>')],
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100_000)],
  ])('is not %s', async (_what, bytes) => {
    expect(await matches(type, bytes)).toBe(false);
  });
});

describe('a PDF', () => {
  const pdf = 'application/pdf';

  it.each([
    ['begins with anything else', Buffer.concat([Buffer.from('\n'), samplePdf()])],
    ['does not end like one', Buffer.concat([samplePdf(), Buffer.alloc(2_000, ' ')])],
    ['is cut', samplePdf().subarray(0, 60)],
    ['is an archive as well', samplePdf(archive)],
    ['is an archive behind its end', Buffer.concat([samplePdf(), archive, Buffer.from('%%EOF')])],
  ])('is none when it %s', async (_what, bytes) => {
    expect(await matches(pdf, bytes)).toBe(false);
  });

  it('may be large', async () => {
    expect(await matches(pdf, samplePdf(Buffer.alloc(3_000_000, 'x')), 65_536)).toBe(true);
  });
});

describe('an image', () => {
  it.each(['image/jpeg', 'image/png'] as const)(
    'of %s is none when it is an archive as well',
    async (type) => {
      expect(await matches(type, Buffer.concat([SAMPLE_FILES[type], archive]))).toBe(false);
    },
  );
});

describe('a table', () => {
  const csv = 'text/csv';
  const text = (content: string) => matches(csv, Buffer.from(content));

  it.each([
    ['a byte order mark', '\u{FEFF}name;sum\nMüller;12,50 €\n'],
    ['one column', 'total\n1\n'],
    ['letters that formats begin with', 'BM\nMZ\n'],
    ['an angle bracket that begins no markup', '< 30 days,> 30 days\n1,2\n'],
  ])('may have %s', async (_what, content) => {
    expect(await text(content)).toBe(true);
  });

  it('may have letters that are cut between two chunks', async () => {
    expect(await matches(csv, Buffer.from('naïve,€,𝄞\n'.repeat(50)), 1)).toBe(true);
  });

  it.each([
    ['NUL', 'a,b\0c\n'],
    ['markup', '<html><body>a,b</body></html>'],
    ['markup behind white space', '\u{FEFF}\n  <script>alert(1)</script>'],
    ['XML', '<?xml version="1.0"?><a/>'],
    ['a script', '#!/bin/sh\nrm -rf x\n'],
    ['PostScript', '%!PS-Adobe-3.0\n'],
    ['rich text', '{\\rtf1 a,b}'],
    ['a PDF a little way in', `a,b\n${samplePdf()}`],
    ['a key', '-----BEGIN PGP MESSAGE-----\n'],
  ])('is none when it is %s', async (_what, content) => {
    expect(await text(content)).toBe(false);
  });

  it('is none when it is not UTF-8, at its end included', async () => {
    expect(await matches(csv, Buffer.from('caf\xe9,1\n', 'latin1'))).toBe(false);
    expect(await matches(csv, Buffer.from('a,b\n\xe2\x82', 'latin1'))).toBe(false);
    expect(await matches(csv, Buffer.from('a,b\n', 'utf16le'))).toBe(false);
  });
});

describe('a workbook', () => {
  it('is none without the parts of one', async () => {
    const part = (name: string) => ({ name, data: Buffer.from('x') });
    expect(await matches(XLSX, zip(part('[Content_Types].xml'), part('word/document.xml')))).toBe(false);
    expect(await matches(XLSX, zip(part('xl/workbook.xml')))).toBe(false);
  });

  it('is none with macros, which have a type of their own', async () => {
    expect(await matches(XLSX, xlsx({ name: 'xl/vbaProject.bin', data: Buffer.from('x') }))).toBe(false);
  });

  it('is none with a part that is compressed as no program does', async () => {
    const odd = xlsx();
    odd.writeUInt16LE(14, odd.indexOf('PK\x01\x02', 0, 'latin1') + 10);
    expect(await matches(XLSX, odd)).toBe(false);
  });

  it('is none with anything before or after it', async () => {
    expect(await matches(XLSX, Buffer.concat([xlsx(), Buffer.from('x')]))).toBe(false);
    expect(await matches(XLSX, Buffer.concat([PROGRAM, xlsx()]))).toBe(false);
  });

  it('may be large', async () => {
    const sheet = {
      name: 'xl/worksheets/sheet1.xml',
      data: Buffer.from(Array.from({ length: 900_000 }, Math.random).join()),
    };
    expect(await matches(XLSX, xlsx(sheet), 65_536)).toBe(true);
  });
});

describe('a type that is not accepted', () => {
  it('is matched by nothing', async () => {
    expect(await matches('application/x-msdownload', PROGRAM)).toBe(false);
  });
});
