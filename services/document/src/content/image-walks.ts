import { crc32 } from 'node:zlib';

/** Follows an image from its first byte to its last. */
export interface ImageWalk {
  take(chunk: Uint8Array): void;
  /** Whether the bytes so far are whole images and nothing else. */
  isWhole(): boolean;
}

/** The largest sensors have 200 million; viewers allocate memory for as many pixels as a picture claims to have. */
const MAX_PIXELS = 2 ** 28;
const isOpenable = (width: number, height: number) => width * height <= MAX_PIXELS;

/** Cameras fill files up to a block of their storage. */
const MAX_PADDING_BYTES = 64 * 1024;

/** Of all pictures of a file. A picture has some dozens; metadata and colour profiles of megabytes some hundreds. */
const MAX_SEGMENTS = 10_000;
/** Of one picture: progressive ones have about a dozen, each of which makes a reader go through all of its pixels. */
const MAX_SCANS = 100;

const FILL = 0xff;
const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
/** Begins a frame, which says how large the picture is: all of 0xc0 to 0xcf but tables and what is reserved. */
const isFrame = (code: number) =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
/** The sample's precision in a byte, the height and the width in two each. */
const FRAME_SIZE_BYTES = 5;
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7;

type JpegState =
  | 'start'
  | 'start code'
  | 'marker'
  | 'code'
  | 'length'
  | 'skip'
  | 'scan'
  | 'scan code'
  | 'after';

/**
 * Follows a JPEG from marker to marker, segment by segment, through the entropy-coded data of its scans. Behind its end
 * may come further whole JPEGs, as phones store them for depth, HDR and previews (CIPA DC-007), and zeros, at most 64
 * KiB of them altogether. Anything else there, or between two segments, breaks the walk for good; so do more than 10,000
 * segments, or a picture of more than 100 scans or 268 million pixels.
 */
export function jpegWalk(): ImageWalk {
  let state: JpegState | 'broken' = 'start';
  let scanFollows = false;
  let segments = 0;
  let allSegments = 0;
  let scans = 0;
  /** The beginning of a frame so far; undefined in any other segment. */
  let frame: number[] | undefined;
  let lengthBytes: number[] = [];
  let left = 0;
  let padding = 0;

  function onCode(code: number): typeof state {
    if (code === FILL) return state;
    if (code === END) return segments > 0 ? 'after' : 'broken';
    if (code === 0 || code === START || isRestart(code)) return 'broken';
    scanFollows = code === SCAN;
    frame = isFrame(code) ? [] : undefined;
    if (scanFollows) scans += 1;
    if (scans > MAX_SCANS) return 'broken';
    lengthBytes = [];
    return 'length';
  }

  function onScanCode(code: number): typeof state {
    if (code === 0 || isRestart(code)) return 'scan';
    return code === FILL ? 'scan code' : onCode(code);
  }

  function onLength(byte: number): typeof state {
    lengthBytes.push(byte);
    const [high = 0, low] = lengthBytes;
    if (low === undefined) return 'length';
    // The length counts its own two bytes.
    left = high * 256 + low - 2;
    if (left < 0) return 'broken';
    segments += 1;
    allSegments += 1;
    if (allSegments > MAX_SEGMENTS) return 'broken';
    return left > 0 ? 'skip' : behindSegment();
  }

  function behindSegment(): typeof state {
    const [, heightHigh = 0, heightLow = 0, widthHigh = 0, widthLow = 0] = frame ?? [];
    if (!isOpenable(widthHigh * 256 + widthLow, heightHigh * 256 + heightLow)) return 'broken';
    return scanFollows ? 'scan' : 'marker';
  }

  function onPadding(byte: number): typeof state {
    if (byte === FILL) {
      segments = 0;
      scans = 0;
      return 'start code';
    }
    padding += 1;
    return byte === 0 && padding <= MAX_PADDING_BYTES ? 'after' : 'broken';
  }

  function step(byte: number): typeof state {
    switch (state) {
      case 'start':
        return byte === FILL ? 'start code' : 'broken';
      case 'start code':
        return byte === START ? 'marker' : 'broken';
      case 'marker':
        return byte === FILL ? 'code' : 'broken';
      case 'code':
        return onCode(byte);
      case 'length':
        return onLength(byte);
      case 'scan code':
        return onScanCode(byte);
      case 'after':
        return onPadding(byte);
      default:
        return 'broken';
    }
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length && state !== 'broken'; ) {
        if (state === 'skip') {
          const skipped = Math.min(left, chunk.length - at);
          if (frame && frame.length < FRAME_SIZE_BYTES)
            frame.push(...chunk.subarray(at, at + Math.min(skipped, FRAME_SIZE_BYTES)));
          at += skipped;
          left -= skipped;
          if (left === 0) state = behindSegment();
        } else if (state === 'scan') {
          const found = chunk.indexOf(FILL, at);
          at = found < 0 ? chunk.length : found + 1;
          if (found >= 0) state = 'scan code';
        } else {
          state = step(chunk[at] ?? 0);
          at += 1;
        }
      }
    },
    isWhole: () => state === 'after',
  };
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const CHUNK_HEADER_BYTES = 8;
const CRC_BYTES = 4;
const IHDR_BYTES = 13;
const MAX_CHUNK_BYTES = 2 ** 31 - 1;
/** Pictures come in chunks of 4 KiB and more: 100,000 of those are far above any accepted size. */
const MAX_CHUNKS = 100_000;
const CHUNK_TYPE = /^[A-Za-z]{4}$/;

/**
 * Follows a PNG from chunk to chunk: the signature, IHDR first, every chunk with its right checksum, IEND last, and
 * nothing behind it. More than 100,000 chunks or 268 million pixels break the walk, too.
 */
export function pngWalk(): ImageWalk {
  /** What is wanted next, and the bytes of it so far; the data of a chunk is not kept. */
  let state: 'signature' | 'header' | 'data' | 'checksum' | 'after' | 'broken' = 'signature';
  let kept = Buffer.alloc(0);
  let type = '';
  let chunks = 0;
  let left = 0;
  let checksum = 0;
  /** The data of IHDR so far, which begins with the width and the height. */
  let imageHeader = Buffer.alloc(0);

  const wanted = () =>
    ({ signature: PNG_SIGNATURE.length, header: CHUNK_HEADER_BYTES, checksum: CRC_BYTES })[
      state as 'signature' | 'header' | 'checksum'
    ];

  function onHeader(header: Buffer): typeof state {
    left = header.readUInt32BE(0);
    type = header.toString('latin1', 4);
    checksum = crc32(header.subarray(4));
    const first = chunks === 0;
    chunks += 1;
    if (chunks > MAX_CHUNKS) return 'broken';
    if (first !== (type === 'IHDR') || (first && left !== IHDR_BYTES)) return 'broken';
    if (!CHUNK_TYPE.test(type) || left > MAX_CHUNK_BYTES || (type === 'IEND' && left > 0)) return 'broken';
    return left > 0 ? 'data' : 'checksum';
  }

  function onWhole(bytes: Buffer): typeof state {
    if (state === 'signature') return bytes.equals(PNG_SIGNATURE) ? 'header' : 'broken';
    if (state === 'header') return onHeader(bytes);
    if (bytes.readUInt32BE(0) !== checksum) return 'broken';
    if (type === 'IHDR' && !isOpenable(imageHeader.readUInt32BE(0), imageHeader.readUInt32BE(4)))
      return 'broken';
    return type === 'IEND' ? 'after' : 'header';
  }

  return {
    take(chunk) {
      for (let at = 0; at < chunk.length && state !== 'broken'; ) {
        if (state === 'after') state = 'broken';
        else if (state === 'data') {
          const part = chunk.subarray(at, at + left);
          checksum = crc32(part, checksum);
          if (type === 'IHDR') imageHeader = Buffer.concat([imageHeader, part]);
          at += part.length;
          left -= part.length;
          if (left === 0) state = 'checksum';
        } else {
          const part = chunk.subarray(at, at + wanted() - kept.length);
          kept = Buffer.concat([kept, part]);
          at += part.length;
          if (kept.length < wanted()) continue;
          const whole = kept;
          kept = Buffer.alloc(0);
          state = onWhole(whole);
        }
      }
    },
    isWhole: () => state === 'after',
  };
}
