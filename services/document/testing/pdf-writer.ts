import { deflateSync } from 'node:zlib';

/** The text of a PDF object, or a stream. */
export type PdfPart = string | { readonly dictionary: string; readonly content: Uint8Array };

/** Returns a PDF of one page. Object 1 is its catalog, with `catalog` in it, and object 3 its page, with `page` in it. */
export function pdfOf({
  catalog = '',
  page = '',
  objects = {},
  trailer = '',
}: {
  catalog?: string;
  page?: string;
  objects?: Readonly<Record<number, PdfPart>>;
  trailer?: string;
}): Buffer {
  const parts: Record<number, PdfPart> = {
    1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    2: '<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 200 200 ] ${page} >>`,
    ...objects,
  };
  return appended(Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'), parts, trailer);
}

/** Returns a PDF with an update: more objects, a table of them and a trailer. */
export function appended(file: Uint8Array, parts: Readonly<Record<number, PdfPart>>, trailer = ''): Buffer {
  let bytes = Buffer.from(file);
  const entries = Object.entries(parts).map(([number, part]) => {
    const at = bytes.length;
    bytes = Buffer.concat([bytes, objectOf(Number(number), part)]);
    return `${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = Math.max(...Object.keys(parts).map(Number)) + 1;
  const end = `xref\n${entries.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${bytes.length}\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(end, 'latin1')]);
}

function objectOf(number: number, part: PdfPart): Buffer {
  const [text, content] =
    typeof part === 'string'
      ? [part, undefined]
      : [`<< ${part.dictionary} /Length ${part.content.length} >>`, part.content];
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n${text}\n`, 'latin1'),
    ...(content ? [Buffer.from('stream\n'), content, Buffer.from('\nendstream\n')] : []),
    Buffer.from('endobj\n'),
  ]);
}

/** Returns an object stream of texts by their numbers. */
export function objectStream(
  texts: Readonly<Record<number, string>>,
  {
    type = '/Type /ObjStm',
    filter = '/Filter /FlateDecode',
    encode = deflateSync,
  }: { type?: string; filter?: string; encode?: (content: Buffer) => Uint8Array } = {},
): PdfPart {
  const numbers: string[] = [];
  let body = '';
  for (const [number, text] of Object.entries(texts)) {
    numbers.push(`${number} ${body.length}`);
    body += `${text}\n`;
  }
  const header = `${numbers.join(' ')}\n`;
  return {
    dictionary: `${type} /N ${numbers.length} /First ${header.length} ${filter}`,
    content: encode(Buffer.from(header + body, 'latin1')),
  };
}
