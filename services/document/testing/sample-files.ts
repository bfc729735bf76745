import { crc32, deflateSync } from 'node:zlib';
import { xlsx } from './zip-writer.ts';

/** Small valid files by content type. */
export const SAMPLE_FILES = {
  'application/pdf': samplePdf(),
  'image/jpeg': sampleJpeg(),
  'image/png': samplePng(),
  'text/csv': Buffer.from('date,amount\n2026-11-20,12.50\n'),
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': xlsx(),
} as const;

/** The start of a Windows program. */
export const PROGRAM = Buffer.concat([
  Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0', 'latin1'),
  Buffer.alloc(500),
]);

/** Returns a PDF without pages, with `more` between its header and its end. */
export function samplePdf(more: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n';
  const end = '\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n';
  return Buffer.concat([Buffer.from(body), more, Buffer.from(end)]);
}

function sampleJpeg(): Buffer {
  const header = 'ffd8ffe000104a46494600010100000100010000ffdb004300';
  return Buffer.concat([Buffer.from(header, 'hex'), Buffer.alloc(64, 1), Buffer.from('ffd9', 'hex')]);
}

/** Returns a PNG of one pixel, with an additional chunk before it. */
export function pngWith(type: string, data: Buffer): Buffer {
  return samplePng(chunk(type, data));
}

function samplePng(more: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(1, 4);
  header[8] = 8;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    more,
    chunk('IDAT', deflateSync(Buffer.alloc(2))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
