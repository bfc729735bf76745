import { deflateSync } from 'node:zlib';
import { appended, objectStream, type PdfPart, pdfOf } from '../../../testing/pdf-writer.ts';
import { samples } from '../../../testing/samples/samples.ts';
import { pdfFault } from './pdf-fault.ts';

const fault = (bytes: Buffer) => pdfFault(bytes, true);

it.each(samples('pdf/ordinary'))('accepts %s', (_name, bytes) => {
  expect(fault(bytes)).toBeUndefined();
});

describe.each(['JavaScript', 'Launch', 'Rendition', 'SubmitForm', 'EmbeddedFile', 'XFA', 'EF', 'A', 'AA'])(
  'the name /%s',
  (name) => {
    it.each<[string, Parameters<typeof pdfOf>[0]]>([
      ['destination', { catalog: `/Dests << /${name} [ 3 0 R /Fit ] >>` }],
      ['destination in a dictionary', { catalog: `/Dests << /${name} << /D [ 3 0 R /Fit ] >> >>` }],
      ['destination in a tree', { catalog: `/Names << /Dests << /Names [ (${name}) [ 3 0 R /Fit ] ] >> >>` }],
      [
        'target of a link',
        {
          page: `/Annots [ << /Subtype /Link /Rect [ 0 0 1 1 ] /Dest /${name} >> << /Subtype /Link /Rect [ 0 0 1 1 ] /A << /S /GoTo /D /${name} >> >> ]`,
        },
      ],
      [
        'font',
        {
          page: `/Resources << /Font << /${name} 5 0 R >> >>`,
          objects: { 5: `<< /Type /Font /Subtype /Type1 /Name /${name} /BaseFont /Helvetica >>` },
        },
      ],
      [
        'color space',
        { page: `/Resources << /ColorSpace << /${name} [ /Separation /${name} /DeviceCMYK 5 0 R ] >> >>` },
      ],
      [
        'picture',
        {
          page: `/Resources << /XObject << /${name} 5 0 R >> >>`,
          objects: { 5: { dictionary: '/Subtype /Image /F /DCTDecode', content: Buffer.from('x') } },
        },
      ],
      [
        'graphics state',
        { page: `/Resources << /ExtGState << /${name} << /SMask << /S /Luminosity /G 5 0 R >> >> >> >>` },
      ],
      [
        'marked content',
        { page: `/Resources << /Properties << /${name} << /Type /OCG /Name (${name}) >> >> >>` },
      ],
      [
        'glyph',
        {
          objects: {
            5: `<< /Type /Font /Subtype /Type3 /CharProcs << /${name} 6 0 R >> /Encoding << /Differences [ 1 /${name} ] >> >>`,
            6: { dictionary: '', content: Buffer.from('0 0 d0') },
          },
        },
      ],
      [
        'role',
        {
          catalog: `/StructTreeRoot << /RoleMap << /${name} /P /${name}2 /${name} >> /ClassMap << /${name} << /O /Layout >> >> >>`,
        },
      ],
      [
        'style of a paragraph',
        {
          objects: {
            5: `<< /Type /StructElem /S /${name} /P 6 0 R /K 0 /C /${name} /A << /O /Layout /Placement /Block >> >>`,
          },
        },
      ],
      [
        'private data',
        {
          page: `/PieceInfo << /${name} << /Private << /${name} true /Kind /${name} >> >> >>`,
          catalog: `/${name}Data << /${name} /${name} >>`,
        },
      ],
      [
        'value of a button',
        {
          page: '/Annots [ 5 0 R ]',
          objects: {
            5: `<< /Subtype /Widget /Rect [ 0 0 1 1 ] /FT /Btn /T (${name}) /V /${name} /AS /${name} /AP << /N << /${name} 6 0 R /Off 6 0 R >> >> >>`,
            6: { dictionary: '/Subtype /Form', content: Buffer.from('q Q') },
          },
        },
      ],
      ['choice', { objects: { 5: `<< /FT /Ch /T (${name}) /V (${name}) /Opt [ (${name}) ] >>` } }],
      ['label of pages', { catalog: `/PageLabels << /Nums [ 0 << /P (/${name}) /S /A >> ] >>` }],
      ['title', { catalog: `/Outlines << /First << /Title (/S /${name}) /Dest (${name}) >> >>` }],
      ['comment', { catalog: `% /S /${name} /JS (x)\n` }],
      [
        'part of a page',
        {
          objects: {
            5: {
              dictionary: '',
              content: Buffer.from(`/${name} BMC (/S /${name}) Tj EMC << /S /${name} /JS (x) >>`),
            },
          },
        },
      ],
    ])('is accepted as a %s', (_what, parts) => {
      expect(fault(pdfOf(parts))).toBeUndefined();
    });
  },
);

describe('accepts a PDF with', () => {
  const EMPTY = '/JavaScript << /Names [] >> /EmbeddedFiles << /Kids [ 20 0 R ] >> /Renditions null';
  it.each<[string, Buffer]>([
    [
      'empty trees of scripts and files',
      pdfOf({ catalog: `/Names << ${EMPTY} >>`, objects: { 20: '<< /Kids [ 20 0 R ] /Names [] >>' } }),
    ],
    ['no associated files', pdfOf({ catalog: '/AF [] /AcroForm << /XFA [] /Fields [] >>' })],
    ['a place to open', pdfOf({ catalog: '/OpenAction [ 3 0 R /FitH 700 ]' })],
    ['a destination to open', pdfOf({ catalog: '/OpenAction << /S /GoTo /D (Launch) >>' })],
    [
      'white space and a byte order mark before it',
      Buffer.concat([Buffer.from('\xef\xbb\xbf\r\n\n', 'latin1'), pdfOf({})]),
    ],
    ['line ends after it', Buffer.concat([pdfOf({}), Buffer.from('\r\n'.repeat(400))])],
    [
      'a table with wrong positions',
      Buffer.from(
        pdfOf({})
          .toString('latin1')
          .replace(/\d{10} 00000 n/g, '0000000007 00000 n'),
        'latin1',
      ),
    ],
    [
      'no table',
      Buffer.from(
        pdfOf({})
          .toString('latin1')
          .replace(/xref[\s\S]*trailer/, 'trailer'),
        'latin1',
      ),
    ],
    [
      'an update',
      appended(appended(pdfOf({}), { 3: '<< /Type /Page /Rotate 90 >>' }), { 3: '<< /Type /Page >>' }),
    ],
    [
      'a table in a stream, besides the other',
      pdfOf({
        objects: {
          5: {
            dictionary:
              '/Type /XRef /W [ 1 2 1 ] /Size 6 /DecodeParms << /Predictor 12 /Columns 4 >> /Filter /FlateDecode',
            content: deflateSync(Buffer.alloc(30)),
          },
        },
        trailer: '/XRefStm 100',
      }),
    ],
    ['numbers as careless writers print them', pdfOf({ page: '/BBox [ --1 1. .5 -.5 1e-5 NaN 1-2 +7 00 ]' })],
    [
      'a name with a space',
      pdfOf({ objects: { 5: '<< /Type /Font /BaseFont /ABCDEF+Arial,Unicode MS /Subtype /Type0 >>' } }),
    ],
    [
      'damage between its objects',
      Buffer.from(pdfOf({}).toString('latin1').replace('2 0 obj', '<< /A (b <<<< ]] 2 0 obj'), 'latin1'),
    ],
    ['a key twice', pdfOf({ page: '/Rotate 0 /Rotate 90' })],
    ['a string of any bytes', pdfOf({ catalog: '/T (a\\)(b(c))\\\\) /U <4 1 4>' })],
    [
      'addresses that a signature asks for',
      pdfOf({
        objects: {
          5: '<< /FT /Sig /SV << /TimeStamp << /URL (http://a.example) /Ff 1 >> /Cert << /URL (https://a.example) /URLType /Browser >> >> >>',
        },
      }),
    ],
    [
      'signatures and rights, and what is needed to check them',
      pdfOf({
        catalog:
          '/Perms << /DocMDP 5 0 R /UR3 5 0 R >> /DSS << /Certs [ 6 0 R ] /OCSPs [ 6 0 R ] /CRLs [] /VRI << /A1 << /Cert [ 6 0 R ] >> >> >>',
        objects: {
          5: '<< /Type /Sig /Filter /Adobe.PPKLite /Contents <00> >>',
          6: { dictionary: '', content: Buffer.from('http://a.example/crl') },
        },
      }),
    ],
    ['a base of links', pdfOf({ catalog: '/URI << /Base (https://a.example/) >>' })],
    ['an empty base of links', pdfOf({ catalog: '/URI << /Base () >>' })],
    ['a requirement', pdfOf({ catalog: '/Requirements [ << /S /EnableJavaScripts /RH << /S /NoOp >> >> ]' })],
    ['a portfolio without files', pdfOf({ catalog: '/Collection << /View /D >>' })],
    [
      'the file from which prepress took a picture',
      pdfOf({
        objects: {
          5: {
            dictionary: '/Subtype /Form /OPI << /2.0 << /Type /OPI /Version 2.0 /F (a.tif) >> >>',
            content: Buffer.alloc(0),
          },
        },
      }),
    ],
    [
      'annotations that refer to each other',
      pdfOf({ page: '/Annots 5 0 R', objects: { 5: '[ 5 0 R << /Subtype /Text /Popup 5 0 R >> ]' } }),
    ],
    [
      'a signature',
      pdfOf({
        objects: {
          5: `<< /FT /Sig /T (Signature1) /V << /Type /Sig /Filter /Adobe.PPKLite /ByteRange [ 0 1 2 3 ] /Contents <${'00'.repeat(4_000)}> /Reference [ << /TransformMethod /DocMDP /TransformParams << /P 2 >> >> ] >> >>`,
        },
      }),
    ],
  ])('%s', (_what, bytes) => {
    expect(fault(bytes)).toBeUndefined();
  });

  /** Rows of four bytes with the PNG filter "Up". */
  const rows = (content: Buffer) => {
    const padded = Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4, ' ')]);
    return Buffer.concat(
      Array.from({ length: padded.length / 4 }, (_, row) =>
        Buffer.from([
          2,
          ...padded
            .subarray(row * 4, row * 4 + 4)
            .map((byte, at) => byte - (row > 0 ? (padded[row * 4 + at - 4] ?? 0) : 0)),
        ]),
      ),
    );
  };
  const ascii85 = (bytes: Buffer) => {
    const groups: string[] = [];
    for (let at = 0; at < bytes.length; at += 4) {
      const four = Buffer.alloc(4);
      const length = bytes.copy(four, 0, at, at + 4);
      let value = four.readUInt32BE();
      let digits = '';
      for (let digit = 0; digit < 5; digit += 1, value = Math.floor(value / 85))
        digits = String.fromCharCode((value % 85) + 33) + digits;
      groups.push(digits === '!!!!!' && length === 4 ? 'z' : digits.slice(0, length + 1));
    }
    return Buffer.from(`${groups.join('')}~>`);
  };
  const texts = { 7: '<< /A << /S /GoTo /D (a) >> >>', 8: '[ 1 2 3 ]' };
  const SPELLINGS: readonly (readonly [string, Parameters<typeof objectStream>[1]])[] = [
    ['deflated', {}],
    ['deflated, in a list', { filter: '/Filter [ /FlateDecode ] /DecodeParms [ null ]' }],
    ['deflated, abbreviated', { filter: '/Filter /Fl' }],
    ['deflated, by reference', { filter: '/Filter 21 0 R' }],
    ['not compressed', { filter: '', encode: (bytes) => bytes }],
    [
      'hexadecimal',
      { filter: '/Filter /ASCIIHexDecode', encode: (bytes) => Buffer.from(`${bytes.toString('hex')}>`) },
    ],
    ['base 85', { filter: '/Filter [ /A85 ]', encode: ascii85 }],
    [
      'deflated, in base 85',
      { filter: '/Filter [ /ASCII85Decode /FlateDecode ]', encode: (bytes) => ascii85(deflateSync(bytes)) },
    ],
    [
      'with a predictor',
      {
        filter: '/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 4 >>',
        encode: (bytes) => deflateSync(rows(bytes)),
      },
    ],
    ['with a comment in its dictionary', { filter: '% /Filter /Crypt\n/Filter /FlateDecode' }],
    ['with escapes in its type', { type: '/Type /Obj#53tm' }],
  ];
  it.each(SPELLINGS)('an object stream: %s', (_what, options) => {
    const objects: Record<number, PdfPart> = { 20: objectStream(texts, options), 21: '/FlateDecode' };
    expect(fault(pdfOf({ objects }))).toBeUndefined();
    const script = {
      ...objects,
      20: objectStream({ ...texts, 9: '<< /A << /S /JavaScript >> >>' }, options),
    };
    expect(fault(pdfOf({ objects: script }))).toEqual({ rule: 'pdf-script', part: 'A in object stream 20' });
  });
});
