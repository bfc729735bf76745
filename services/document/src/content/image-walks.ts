import { crc32 } from 'node:zlib';

/** Parses an image from its first byte to its last. */
export interface ImageWalk {
  take(chunk: Uint8Array): void;
  /** Whether the bytes so far are complete images and nothing else. */
  isWhole(): boolean;
  /** Whether it has more pixels or parts than a viewer should process. */
  isTooLarge(): boolean;
}

/** The largest sensors have 200 million pixels; viewers allocate memory for as many as a picture claims to have. */
const MAX_PIXELS = 2 ** 28;
const isOpenable = (width: number, height: number) => width * height <= MAX_PIXELS;

/** Cameras pad files to a block of their storage. */
const MAX_PADDING_BYTES = 64 * 1024;

/**
 * Maximum across all pictures of a file. A picture has a few dozen; megabytes of metadata and colour profiles take a
 * few hundred.
 */
const MAX_SEGMENTS = 10_000;
/** Maximum for one picture. Progressive pictures have about a dozen, and a reader processes every pixel for each. */
const MAX_SCANS = 100;

/** Decoders skip stray bytes before a marker; more of them could be another file. */
const MAX_STRAY_BYTES = 3;
const MAX_ALL_STRAY_BYTES = 100;

const FILL = 0xff;
const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
/**
 * Whether the code begins a frame, which contains the picture's size: 0xc0 to 0xcf except tables and reserved codes.
 */
const isFrame = (code: number) =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
/** One byte of sample precision, then two bytes each for height and width. */
const FRAME_SIZE_BYTES = 5;
const isRestart = (code: number) => code >= 0xd0 && code <= 0xd7;
/** Markers without a segment. */
const TEMPORARY = 0x01;
const isAlone = (code: number) => code === TEMPORARY || isRestart(code);

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
 * Parses a JPEG marker by marker, through every segment and the entropy-coded data of its scans. After its end, it
 * accepts further complete JPEGs, as phones store them for depth, HDR and previews (CIPA DC-007), and at most 64 KiB of
 * zeros in total. Anything else there or more than three bytes between two segments make the walk fail permanently, as do
 * more than 10,000 segments, or a picture of more than 100 scans or 268 million pixels.
 */
export function jpegWalk(): ImageWalk {
  let state: JpegState | 'broken' = 'start';
  let scanFollows = false;
  let segments = 0;
  let allSegments = 0;
  let scans = 0;
  /** The start of the current frame; undefined in any other segment. */
  let frame: number[] | undefined;
  let lengthBytes: number[] = [];
  let left = 0;
  let padding = 0;
  let strayBytes = 0;
  let allStrayBytes = 0;
  let isTooLarge = false;

  function tooLarge(): typeof state {
    isTooLarge = true;
    return 'broken';
  }

  function onMarker(byte: number): typeof state {
    if (byte === FILL) return 'code';
    strayBytes += 1;
    allStrayBytes += 1;
    return strayBytes <= MAX_STRAY_BYTES && allStrayBytes <= MAX_ALL_STRAY_BYTES ? 'marker' : 'broken';
  }

  function onCode(code: number): typeof state {
    if (code === FILL) return state;
    if (code === 0) return onMarker(code);
    if (code === END) return segments > 0 ? 'after' : 'broken';
    if (code === START) return 'broken';
    strayBytes = 0;
    if (isAlone(code)) return 'marker';
    scanFollows = code === SCAN;
    frame = isFrame(code) ? [] : undefined;
    if (scanFollows) scans += 1;
    if (scans > MAX_SCANS) return tooLarge();
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
    // The length includes its own two bytes.
    left = high * 256 + low - 2;
    if (left < 0) return 'broken';
    segments += 1;
    allSegments += 1;
    if (allSegments > MAX_SEGMENTS) return tooLarge();
    return left > 0 ? 'skip' : behindSegment();
  }

  function behindSegment(): typeof state {
    const [, heightHigh = 0, heightLow = 0, widthHigh = 0, widthLow = 0] = frame ?? [];
    if (!isOpenable(widthHigh * 256 + widthLow, heightHigh * 256 + heightLow)) return tooLarge();
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
        return onMarker(byte);
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
    isTooLarge: () => isTooLarge,
  };
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const CHUNK_HEADER_BYTES = 8;
const CRC_BYTES = 4;
const IHDR_BYTES = 13;
const MAX_CHUNK_BYTES = 2 ** 31 - 1;
/** Typical chunks have 4 KiB or more, so 100,000 of them far exceed any accepted size. */
const MAX_CHUNKS = 100_000;
const CHUNK_TYPE = /^[A-Za-z]{4}$/;
const ANCILLARY = /^[a-z]/;

/**
 * Parses a PNG chunk by chunk: the signature, IHDR first, image data, IEND last, and nothing after it. Chunks that viewers
 * need have correct checksums; viewers skip others. More than 100,000 chunks or 268 million pixels also make the walk
 * fail.
 */
export function pngWalk(): ImageWalk {
  /** The expected part and its bytes so far; chunk data is not kept. */
  let state: 'signature' | 'header' | 'data' | 'checksum' | 'after' | 'broken' = 'signature';
  let kept = Buffer.alloc(0);
  let type = '';
  let chunks = 0;
  let hasImageData = false;
  let isTooLarge = false;
  let left = 0;
  let checksum = 0;
  /** The IHDR data so far, which begins with the width and the height. */
  let imageHeader = Buffer.alloc(0);

  const wanted = () =>
    ({ signature: PNG_SIGNATURE.length, header: CHUNK_HEADER_BYTES, checksum: CRC_BYTES })[
      state as 'signature' | 'header' | 'checksum'
    ];

  function tooLarge(): typeof state {
    isTooLarge = true;
    return 'broken';
  }

  function onHeader(header: Buffer): typeof state {
    left = header.readUInt32BE(0);
    type = header.toString('latin1', 4);
    checksum = crc32(header.subarray(4));
    const first = chunks === 0;
    chunks += 1;
    hasImageData ||= type === 'IDAT';
    if (chunks > MAX_CHUNKS) return tooLarge();
    if (first !== (type === 'IHDR') || (first && left !== IHDR_BYTES)) return 'broken';
    if (!CHUNK_TYPE.test(type) || left > MAX_CHUNK_BYTES || (type === 'IEND' && left > 0)) return 'broken';
    return left > 0 ? 'data' : 'checksum';
  }

  function onWhole(bytes: Buffer): typeof state {
    if (state === 'signature') return bytes.equals(PNG_SIGNATURE) ? 'header' : 'broken';
    if (state === 'header') return onHeader(bytes);
    if (bytes.readUInt32BE(0) !== checksum && !ANCILLARY.test(type)) return 'broken';
    if (type === 'IHDR' && !isOpenable(imageHeader.readUInt32BE(0), imageHeader.readUInt32BE(4)))
      return tooLarge();
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
    isWhole: () => state === 'after' && hasImageData,
    isTooLarge: () => isTooLarge,
  };
}
