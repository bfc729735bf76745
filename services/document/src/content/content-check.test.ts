import { PROGRAM, pngWith, SAMPLE_FILES, samplePdf } from '../../testing/sample-files.ts';
import { zip } from '../../testing/zip-writer.ts';
import { CONTENT_TYPES, type ContentType } from '../model/content-types.ts';
import { contentCheck } from './content-check.ts';

const archive = zip({ name: 'a.txt', data: Buffer.from('a') });

/** Resolves to the rule that refuses the bytes. */
async function ruleFor(type: string, bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<string> {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return (await check.fault())?.rule ?? 'clean';
}

async function matches(type: string, bytes: Uint8Array, chunkBytes = bytes.length || 1): Promise<boolean> {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return (await check.fault()) === undefined;
}

describe.each(CONTENT_TYPES)('content of type %s', (type: ContentType) => {
  it('matches in chunks of any size', async () => {
    for (const chunkBytes of [1, 7, 1_000_000])
      expect(await matches(type, SAMPLE_FILES[type], chunkBytes)).toBe(true);
  });

  it.each(CONTENT_TYPES.filter((other) => other !== type))('does not match %s', async (other) => {
    expect(await matches(type, SAMPLE_FILES[other])).toBe(false);
  });

  it.each([
    ['a program', PROGRAM],
    ['an archive', archive],
    ['a page of HTML', Buffer.from('<!DOCTYPE html><html><script>alert(1)</script></html>')],
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100_000)],
  ])('rejects %s', async (_what, bytes) => {
    expect(await matches(type, bytes)).toBe(false);
  });
});

describe('PDF content check', () => {
  const pdf = 'application/pdf';

  it.each([
    ['begins with anything else', Buffer.concat([Buffer.from('junk\n'), samplePdf()])],
    ['does not end as a PDF does', Buffer.concat([samplePdf(), Buffer.alloc(2_000, ' ')])],
    ['is truncated', samplePdf().subarray(0, 60)],
    ['is also an archive', samplePdf(archive)],
    ['has an archive after its end', Buffer.concat([samplePdf(), archive, Buffer.from('%%EOF')])],
  ])('rejects a PDF that %s', async (_what, bytes) => {
    expect(await matches(pdf, bytes)).toBe(false);
  });

  it('accepts a large PDF', async () => {
    expect(await matches(pdf, samplePdf(Buffer.alloc(3_000_000, 'x')), 65_536)).toBe(true);
  });
});

const ELF = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(500)]);
const HTML = Buffer.from('<!DOCTYPE html><script>alert(1)</script>');
const START_OF_JPEG = Buffer.from('ffd8ff', 'hex');

describe.each(['image/jpeg', 'image/png'] as const)('image content check of %s', (type) => {
  const whole = SAMPLE_FILES[type];

  it.each([
    ['an archive', archive],
    ['a PDF', samplePdf()],
    ['a page of HTML', HTML],
    ['a program', ELF],
    ['one byte', Buffer.from('x')],
    ['zeros and then one byte', Buffer.concat([Buffer.alloc(100), Buffer.from('x')])],
  ])('rejects an image with %s after its end', async (_what, behind) => {
    for (const chunkBytes of [1, 1_000_000])
      expect(await matches(type, Buffer.concat([whole, behind]), chunkBytes)).toBe(false);
  });

  it('rejects an image truncated at any byte', async () => {
    for (let end = 0; end < whole.length; end += 1)
      expect([end, await matches(type, whole.subarray(0, end))]).toEqual([end, false]);
  });
});

describe('JPEG content check', () => {
  const jpeg = 'image/jpeg';
  const whole = SAMPLE_FILES[jpeg];
  const segment = (code: number, data: Uint8Array) => {
    const head = Buffer.from([0xff, code, 0, 0]);
    head.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([head, data]);
  };
  /** The sample with bytes inserted after its first two. */
  const withInside = (...more: Uint8Array[]) =>
    Buffer.concat([whole.subarray(0, 2), ...more, whole.subarray(2)]);
  const comment = segment(0xfe, Buffer.from('made by hand'));
  const scan = Buffer.concat([
    segment(0xda, Buffer.alloc(10)),
    Buffer.from('1122ff0033ffd044ff', 'hex'),
    Buffer.from('ffd755', 'hex'),
  ]);

  it.each([
    ['a program', Buffer.concat([START_OF_JPEG, ELF])],
    ['a page', Buffer.concat([START_OF_JPEG, HTML])],
    ['a PDF', Buffer.concat([START_OF_JPEG, samplePdf()])],
    ['an empty one', Buffer.from('ffd8ffd9', 'hex')],
    ['a PDF in a comment', withInside(segment(0xfe, samplePdf()))],
    [
      'a PDF after other metadata',
      withInside(segment(0xef, Buffer.alloc(1_200)), segment(0xfe, samplePdf())),
    ],
    ['a segment shorter than its length', withInside(Buffer.from('fffe0001', 'hex'))],
    ['four bytes between two segments', withInside(Buffer.from('junk'))],
    [
      'stray bytes at a hundred places',
      withInside(...Array<Buffer>(34).fill(Buffer.concat([Buffer.from('xyz'), comment]))),
    ],
    ['a start within it', withInside(Buffer.from('ffd8', 'hex'))],
  ])('rejects a JPEG with %s', async (_what, bytes) => {
    expect(await matches(jpeg, bytes)).toBe(false);
  });

  it.each([
    ['scans, with stuffed bytes and restarts', withInside(scan)],
    ['a thumbnail within a segment', withInside(segment(0xe1, whole))],
    ['fill bytes before a marker', withInside(Buffer.from('ffff', 'hex'), segment(0xfe, Buffer.from('x')))],
    ['a stray byte between two segments', withInside(comment, Buffer.from('x'))],
    [
      'stray bytes between several segments',
      withInside(comment, Buffer.from('xyz'), comment, Buffer.from('\0'), comment),
    ],
    ['a stuffed byte between two segments', withInside(Buffer.from('ff00', 'hex'), comment)],
    [
      'restart and temporary markers between two segments',
      withInside(Buffer.from('ffd0ff01', 'hex'), comment),
    ],
    ['a mention of a PDF in a comment', withInside(segment(0xfe, Buffer.from('from %PDF-1.7 of 2026')))],
    ['a second picture after it, as phones write', Buffer.concat([whole, whole])],
    [
      'zeros between and after its pictures',
      Buffer.concat([whole, Buffer.alloc(2_000), whole, Buffer.alloc(9)]),
    ],
  ])('accepts a JPEG with %s', async (_what, bytes) => {
    for (const chunkBytes of [1, 13, 1_000_000]) expect(await matches(jpeg, bytes, chunkBytes)).toBe(true);
  });

  it('rejects a JPEG followed by more zeros than a camera adds', async () => {
    expect(await matches(jpeg, Buffer.concat([whole, Buffer.alloc(65_536)]))).toBe(true);
    expect(await matches(jpeg, Buffer.concat([whole, Buffer.alloc(65_537)]))).toBe(false);
  });
});

describe('PNG content check', () => {
  const png = 'image/png';
  const whole = SAMPLE_FILES[png];

  it('rejects a PNG with any single byte changed', async () => {
    for (let at = 0; at < whole.length; at += 1) {
      const wrong = Buffer.from(whole);
      wrong[at] = (wrong[at] ?? 0) ^ 0x20;
      expect([at, await matches(png, wrong)]).toEqual([at, false]);
    }
  });

  it.each([
    ['a PDF in a text', pngWith('tEXt', samplePdf())],
    ['a PDF late in a text', pngWith('tEXt', Buffer.concat([Buffer.alloc(1_200, 'x'), samplePdf()]))],
    ['a second header', pngWith('IHDR', Buffer.alloc(13))],
    ['an unknown kind of chunk', pngWith('a/b1', Buffer.alloc(3))],
    ['zeros after it', Buffer.concat([whole, Buffer.alloc(3)])],
    ['another PNG after it', Buffer.concat([whole, whole])],
  ])('rejects a PNG with %s', async (_what, bytes) => {
    expect(await matches(png, bytes)).toBe(false);
  });

  it('accepts unknown chunks', async () => {
    expect(await matches(png, pngWith('eXIf', Buffer.alloc(100)), 7)).toBe(true);
  });

  it.each(['tEXt', 'eXIf', 'pHYs', 'zzZz'])(
    'accepts a wrong checksum of %s, which viewers skip',
    async (type) => {
      const wrong = pngWith(type, Buffer.alloc(10, 7));
      wrong[wrong.indexOf(type) + 4 + 10] = 0x55;
      for (const chunkBytes of [1, 7, 1_000]) expect(await ruleFor(png, wrong, chunkBytes)).toBe('clean');
    },
  );

  it.each(['IHDR', 'IDAT', 'IEND'])('refuses a wrong checksum of %s', async (type) => {
    const wrong = Buffer.from(whole);
    const at = wrong.indexOf(type);
    const crcAt = at + 4 + wrong.readUInt32BE(at - 4);
    wrong[crcAt] = (wrong[crcAt] ?? 0) ^ 1;
    expect(await ruleFor(png, wrong)).toBe('picture-damaged');
  });

  it('refuses a picture without image data', async () => {
    const without = Buffer.concat([whole.subarray(0, 33), whole.subarray(-12)]);
    expect(await ruleFor(png, without)).toBe('picture-damaged');
  });

  it('accepts a mention of a PDF, and refuses a PDF, whatever the chunks', async () => {
    const mention = pngWith('tEXt', Buffer.from('Comment\0printed from %PDF-1.7'));
    const mixed = pngWith('tEXt', samplePdf());
    for (let chunkBytes = 1; chunkBytes < mixed.length; chunkBytes += 1) {
      expect([chunkBytes, await ruleFor(png, mention, chunkBytes)]).toEqual([chunkBytes, 'clean']);
      expect([chunkBytes, await ruleFor(png, mixed, chunkBytes)]).toEqual([chunkBytes, 'picture-mixed']);
    }
  });
});

describe('content fault', () => {
  it.each([
    ['application/pdf', PROGRAM, 'type-mismatch'],
    ['application/pdf', samplePdf(Buffer.from('<< /S /JavaScript /JS (x) >>')), 'pdf-script'],
    ['image/jpeg', SAMPLE_FILES['image/png'], 'type-mismatch'],
    ['image/jpeg', Buffer.concat([SAMPLE_FILES['image/jpeg'], Buffer.from('x')]), 'picture-damaged'],
    ['image/jpeg', Buffer.concat([SAMPLE_FILES['image/jpeg'], archive]), 'picture-mixed'],
    ['image/png', SAMPLE_FILES['image/png'].subarray(0, -1), 'picture-damaged'],
    ['text/csv', Buffer.alloc(0), 'csv-encoding'],
    ['text/csv', Buffer.from('a\0b'), 'csv-encoding'],
    ['text/csv', Buffer.from('<html>'), 'csv-other-format'],
    ['application/x-msdownload', PROGRAM, 'type-mismatch'],
  ])('of %s names the rule', async (type, bytes, rule) => {
    expect(await ruleFor(type, bytes)).toBe(rule);
  });
});

describe('unaccepted content type', () => {
  it('never matches', async () => {
    expect(await matches('application/x-msdownload', PROGRAM)).toBe(false);
  });
});
