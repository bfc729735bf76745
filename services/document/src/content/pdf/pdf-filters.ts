import { inflateSync } from 'node:zlib';
import { Unreadable } from './pdf-syntax.ts';

/** One step of decoding, with its parameters. */
export interface Filter {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, number>;
}

const FLATE = new Set(['FlateDecode', 'Fl']);

/** Whether the encoding itself states where the bytes end. */
export const isFlate = (filter: Filter | undefined): boolean =>
  filter !== undefined && FLATE.has(filter.name);

/** Decodes the bytes of a stream into at most `maxBytes`. Throws Unreadable. */
export function decoded(bytes: Buffer, filters: readonly Filter[], maxBytes: number): Buffer {
  return filters.reduce((data, filter) => {
    switch (filter.name) {
      case 'FlateDecode':
      case 'Fl':
        return unpredicted(inflated(data, maxBytes), filter.parameters);
      case 'ASCIIHexDecode':
      case 'AHx':
        return fromHexadecimal(data);
      case 'ASCII85Decode':
      case 'A85':
        return fromAscii85(data, maxBytes);
      default:
        // No known writer uses the others for objects.
        throw new Unreadable('filter');
    }
  }, bytes);
}

function inflated(bytes: Buffer, maxOutputLength: number): Buffer {
  let start = 0;
  // No deflated bytes begin with white space.
  while (start < bytes.length && ' \r\n'.includes(String.fromCharCode(bytes[start] ?? 0))) start += 1;
  try {
    return inflateSync(bytes.subarray(start), { maxOutputLength: Math.max(1, maxOutputLength) });
  } catch (error) {
    throw new Unreadable('deflated bytes', { cause: error });
  }
}

/** Reverses the PNG predictors, whose rows begin with the number of their filter. */
function unpredicted(bytes: Buffer, parameters: ReadonlyMap<string, number>): Buffer {
  const predictor = parameters.get('Predictor') ?? 1;
  if (predictor === 1) return bytes;
  const [colors, bits, columns] = [
    parameters.get('Colors') ?? 1,
    parameters.get('BitsPerComponent') ?? 8,
    parameters.get('Columns') ?? 1,
  ];
  const pixelBytes = Math.ceil((colors * bits) / 8);
  const rowBytes = Math.ceil((colors * bits * columns) / 8);
  if (predictor < 10 || !(pixelBytes >= 1 && rowBytes >= 1 && rowBytes <= bytes.length))
    throw new Unreadable('predictor');
  const result = Buffer.alloc(bytes.length);
  let size = 0;
  for (let row = 0; row < bytes.length; row += rowBytes + 1) {
    const filter = bytes[row];
    for (let at = 0; at < rowBytes && row + 1 + at < bytes.length; at += 1, size += 1) {
      const left = at < pixelBytes ? 0 : (result[size - pixelBytes] ?? 0);
      const above = result[size - rowBytes] ?? 0;
      const aboveLeft = at < pixelBytes ? 0 : (result[size - rowBytes - pixelBytes] ?? 0);
      result[size] = (bytes[row + 1 + at] ?? 0) + predicted(filter, left, above, aboveLeft);
    }
  }
  return result.subarray(0, size);
}

function predicted(filter: number | undefined, left: number, above: number, aboveLeft: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const [toLeft, toAbove, toAboveLeft] = [left, above, aboveLeft].map((one) =>
        Math.abs(left + above - aboveLeft - one),
      ) as [number, number, number];
      if (toLeft <= toAbove && toLeft <= toAboveLeft) return left;
      return toAbove <= toAboveLeft ? above : aboveLeft;
    }
    default:
      throw new Unreadable('predictor');
  }
}

const plain = (bytes: Buffer): string => bytes.toString('latin1').replace(/[\0\t\n\f\r ]/g, '');

function fromHexadecimal(bytes: Buffer): Buffer {
  const [, digits] = /^([0-9a-f]*)>$/i.exec(plain(bytes)) ?? [];
  if (digits === undefined) throw new Unreadable('hexadecimal bytes');
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
}

function fromAscii85(bytes: Buffer, maxBytes: number): Buffer {
  const text = plain(bytes);
  if (!/^[!-uz]*~>$/.test(text) || text.length * 4 > maxBytes) throw new Unreadable('base-85 bytes');
  const result = Buffer.alloc(text.length * 4);
  let size = 0;
  for (let at = 0; at < text.length - 2; ) {
    const group = text[at] === 'z' ? 'z' : text.slice(at, Math.min(at + 5, text.length - 2));
    if (group.length > 1 && group.includes('z')) throw new Unreadable('base-85 bytes');
    at += group.length;
    const digits = group === 'z' ? '!!!!!' : group.padEnd(5, 'u');
    const value = [...digits].reduce((sum, sign) => sum * 85 + sign.charCodeAt(0) - 33, 0);
    if (value > 0xffff_ffff) throw new Unreadable('base-85 bytes');
    result.writeUInt32BE(value, size);
    size += group === 'z' ? 4 : group.length - 1;
  }
  return result.subarray(0, size);
}
