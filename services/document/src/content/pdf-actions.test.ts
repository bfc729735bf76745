import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { samplePdf } from '../../testing/sample-files.ts';
import { CONTENT_POLICY, contentCheck } from './content-check.ts';

async function matches(bytes: Uint8Array, chunkBytes: number, policy = CONTENT_POLICY): Promise<boolean> {
  const check = contentCheck('application/pdf', policy);
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return check.matches();
}

describe('PDF actions', () => {
  const object = (text: string) => Buffer.from(`2 0 obj\n${text}\nendobj\n`, 'latin1');
  const objectStream = (
    content: Uint8Array,
    dictionary = '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode',
  ) =>
    Buffer.concat([
      Buffer.from(`3 0 obj\n<< ${dictionary} /Length ${content.length} >>\nstream\r\n`, 'latin1'),
      content,
      Buffer.from('\nendstream\nendobj\n'),
    ]);
  const packed = (text: string) => deflateSync(Buffer.from(text));
  const SCRIPT = '2 0 << /S /JavaScript /JS (app.alert(1)) >>';
  const ENCRYPTED = Buffer.alloc(500, 0xa5);
  const ENCRYPTS = Buffer.from('trailer\n<< /Size 9 /Encrypt 9 0 R >>\n');

  it.each([
    ['JavaScript', object('<< /S /JavaScript /JS (app.alert(1)) >>')],
    ['JavaScript without spaces', object('<</S/JavaScript/JS(app.alert(1))>>')],
    ['JavaScript written with escapes', object('<< /S /J#61va#53cript /JS (x) >>')],
    ['JavaScript written only with escapes', object('<< /S /#4a#61#76#61#53#63#72#69#70#74 /JS (x) >>')],
    ['a launch', object('<< /S /Launch /F (cmd.exe) >>')],
    ['a rendition', object('<< /S /Rendition /JS (x) >>')],
    ['JavaScript in an object stream', objectStream(packed(SCRIPT))],
    ['JavaScript late in an object stream', objectStream(packed(`${'1 0 '.repeat(90_000)}${SCRIPT}`))],
    [
      'JavaScript in the second object stream',
      Buffer.concat([objectStream(packed('1 0 <<>>')), objectStream(packed(SCRIPT))]),
    ],
    ['a corrupt object stream', objectStream(packed('1 0 <<>>').subarray(0, 8))],
    [
      'an object stream in another encoding',
      objectStream(Buffer.from('41414141>'), '/Type /#4fbjStm /Filter /ASCIIHexDecode'),
    ],
    [
      'an object stream that continues after a false end',
      objectStream(Buffer.concat([deflateRawStored('endstream'), packed(SCRIPT)])),
    ],
    ['an object stream without an end', object('<< /Type /ObjStm >> stream\nxx')],
    [
      'an object stream with a row predictor',
      objectStream(
        deflateSync(asRowsOfSub(Buffer.from(SCRIPT))),
        '/DecodeParms<</Predictor 11/Columns 4>>/Type/ObjStm/Filter/FlateDecode',
      ),
    ],
    [
      'an object stream in two encodings, and encryption in a comment',
      Buffer.concat([
        Buffer.from('%/Encrypt 9 0 R\n'),
        objectStream(
          Buffer.from(`${packed(SCRIPT).toString('hex')}>`),
          '/Type/ObjStm/Filter[/ASCIIHexDecode/FlateDecode]',
        ),
      ]),
    ],
    [
      'an object stream in an encoding that one reader prefers',
      objectStream(packed('x'), '/Type/ObjStm/F/ASCIIHexDecode/Filter/FlateDecode'),
    ],
    [
      'a comment that looks like the bytes of an object stream',
      objectStream(packed(SCRIPT), ofDecoy('%stream', 'endstream\n')),
    ],
    [
      'a comment that looks like an object stream',
      objectStream(
        packed(SCRIPT),
        ofDecoy('%5 0 obj<</Type/ObjStm/Filter/FlateDecode>>stream', 'endstream\n'),
      ),
    ],
    [
      'a comment that looks like the beginning of an object stream',
      objectStream(
        deflateSync(asRowsOfSub(Buffer.from(SCRIPT))),
        '/DecodeParms<</Predictor 11/Columns 4>>%5 0 obj<<\n/Type/ObjStm/Filter/FlateDecode',
      ),
    ],
    [
      'an object stream after the bytes of another',
      objectStream(
        Buffer.concat([packed('x'), Buffer.from('\n7 0 obj\n'), objectStream(packed(SCRIPT)).subarray(8)]),
      ),
    ],
    [
      'an object stream after one that claims to be encrypted',
      Buffer.concat([objectStream(ENCRYPTED), objectStream(packed(SCRIPT)), ENCRYPTS]),
    ],
    [
      'an object stream that continues after a false end, and claims to be encrypted',
      Buffer.concat([objectStream(Buffer.concat([deflateRawStored('endstream'), packed(SCRIPT)])), ENCRYPTS]),
    ],
    [
      'encryption in a separate object',
      Buffer.concat([objectStream(ENCRYPTED), object('<< /Encrypt 9 0 R >>')]),
    ],
    [
      'an object stream that inflates without limit',
      objectStream(deflateSync(Buffer.alloc(65 * 1024 * 1024))),
    ],
  ])('rejects a PDF with %s, in chunks of any size', async (_what, inside) => {
    const bytes = samplePdf(inside);
    for (const chunkBytes of [1, 13, 1_000_000])
      expect([chunkBytes, await matches(bytes, chunkBytes)]).toEqual([chunkBytes, false]);
    expect(await matches(bytes, 1_000, { refusePdfActions: false })).toBe(true);
  });

  it.each([
    [
      'object streams',
      Buffer.concat([objectStream(packed('1 0 << /A /B >>')), objectStream(packed('2 0 <<>>'))]),
    ],
    ['pictures of random bytes', objectStream(randomBytes(10_000), '/Type /XObject /Filter /DCTDecode')],
    ['longer names that begin alike', object('<< /JavaScripts /Launcher /LaunchPad 1 >>')],
    [
      'object streams whose encoding is a list of one',
      objectStream(packed('1 0 <<>>'), '/Type/ObjStm/Length 8 0 R/Filter [ /FlateDecode ]/Extends 7 0 R'),
    ],
    ['object streams that its owner encrypted', Buffer.concat([objectStream(ENCRYPTED), ENCRYPTS])],
    [
      'object streams that its owner encrypted, and a table of objects that is a stream',
      Buffer.concat([
        objectStream(ENCRYPTED),
        objectStream(packed('x'), '/Type/XRef/Encrypt 9 0 R/DecodeParms<</Predictor 12>>/Filter/FlateDecode'),
      ]),
    ],
  ])('accepts a PDF with %s', async (_what, inside) => {
    for (const chunkBytes of [1, 13, 1_000_000])
      expect([chunkBytes, await matches(samplePdf(inside), chunkBytes)]).toEqual([chunkBytes, true]);
  });

  it('accepts a large picture', async () => {
    const picture = objectStream(randomBytes(300_000), '/Type /XObject /Filter /DCTDecode');
    expect(await matches(samplePdf(picture), 1_009)).toBe(true);
  });

  /** The dictionary of an object stream followed by bytes that inflate to harmless content. */
  function ofDecoy(before: string, behind: string): string {
    return `/Type/ObjStm/Filter/FlateDecode ${before}\n${packed('x').toString('latin1')}${behind}`;
  }

  /** Rows of four bytes with the PNG filter "Sub": each byte is the difference from the one on its left. */
  function asRowsOfSub(bytes: Uint8Array): Buffer {
    const rows: number[] = [];
    for (let at = 0; at < bytes.length; at += 4) {
      const row = bytes.subarray(at, at + 4);
      rows.push(1, ...row.map((byte, index) => byte - (row[index - 1] ?? 0)));
    }
    return Buffer.from(rows);
  }

  /** The output of a deflater that stores the text without compressing it. */
  function deflateRawStored(text: string): Buffer {
    return deflateSync(Buffer.from(text), { level: 0 }).subarray(0, -4);
  }
});
