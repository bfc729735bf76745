import { SAMPLE_FILES } from '../../testing/sample-files.ts';
import { samples } from '../../testing/samples/samples.ts';
import {
  contentTypes,
  relationships,
  textPart,
  workbookOf,
  xlsx,
  type ZipEntry,
} from '../../testing/zip-writer.ts';
import { contentCheck } from './content-check.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const TYPES: Readonly<Record<string, string>> = { xlsx: XLSX, png: 'image/png', jpg: 'image/jpeg' };
const files = samples('files');

async function faultOf(type: string, bytes: Uint8Array) {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += 4_096) check.take(bytes.subarray(at, at + 4_096));
  return check.fault();
}

describe('ordinary files', () => {
  it('are from many producers', () => {
    expect(files.length).toBeGreaterThanOrEqual(45);
  });

  it.each(files)('%s passes', async (name, bytes) => {
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? '';
    expect(await faultOf(type, bytes)).toBeUndefined();
  });

  const rows = [
    ['Date', 'Description', 'Amount', 'Balance'],
    ['01/11/2026', 'Card payment "Shop, Leeds"', '-12.50', '1,204.11'],
    ['02/11/2026', 'Müller & Söhne', '+300.00', '1,504.11'],
    ['03/11/2026', '@Home Ltd = rent | May', '-1.00', '1,503.11'],
  ];
  const table = (delimiter: string, end = '\n') =>
    rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) + end).join('');
  it.each([
    ['commas and quotes', table(',')],
    ['semicolons', table(';')],
    ['tabs', table('\t')],
    ['bars without quotes', rows.map((row) => row.join('|')).join('\n')],
    ['Windows line ends', table(',', '\r\n')],
    ['line ends of old Macs', table(',', '\r')],
    ['a byte order mark', `\u{FEFF}${table(';', '\r\n')}`],
    ['a delimiter line', `sep=;\r\n${table(';', '\r\n')}`],
    ['text above the table', `Account name: A Ltd\nSort code: 00-00-00\n\n${table(',')}`],
    ['negative amounts first', '-12.50,shop\n-1,"a|b"\n(3.00),x\n'],
    ['formulas of a spreadsheet', 'a,b,sum\n1,2,=A2+B2\n3,4,"=IF(A3>1,""yes|no"",0)"\n'],
    ['line breaks in cells', '"a\nb",1\n"-c\nd",2\n'],
  ])('a bank statement with %s passes', async (_what, content) => {
    expect(await faultOf('text/csv', Buffer.from(content))).toBeUndefined();
  });

  const SHEETS = XLSX.slice(0, -'.sheet'.length);
  const OFFICE = 'http://schemas.microsoft.com/office';
  const picture = { name: 'xl/media/image1.png', data: SAMPLE_FILES['image/png'] };
  const book = (declared: readonly [name: string, type: string, text: string][], ...more: ZipEntry[]) =>
    workbookOf(
      contentTypes(
        declared.map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`).join(''),
      ),
      ...declared.map(([name, , text]) => textPart(name, text)),
      ...more,
    );
  it.each([
    [
      'Excel 365: dynamic arrays, pictures in cells, threaded comments, labels',
      book(
        [
          ['xl/metadata.xml', `${SHEETS}.sheetMetadata+xml`, '<metadata/>'],
          ['xl/richData/rdrichvalue.xml', 'application/vnd.ms-excel.rdrichvalue+xml', '<rvData/>'],
          [
            'xl/richData/rdrichvaluestructure.xml',
            'application/vnd.ms-excel.rdrichvaluestructure+xml',
            '<rvStructures/>',
          ],
          [
            'xl/richData/rdRichValueTypes.xml',
            'application/vnd.ms-excel.rdrichvaluetypes+xml',
            '<rvTypesInfo/>',
          ],
          ['xl/richData/richValueRel.xml', 'application/vnd.ms-excel.richvaluerel+xml', '<richValueRels/>'],
          ['xl/persons/person.xml', 'application/vnd.ms-excel.person+xml', '<personList/>'],
          [
            'xl/threadedComments/threadedComment1.xml',
            'application/vnd.ms-excel.threadedcomments+xml',
            '<ThreadedComments/>',
          ],
          [
            'xl/featurePropertyBag/featurePropertyBag.xml',
            'application/vnd.ms-excel.featurepropertybag+xml',
            '<FeaturePropertyBags/>',
          ],
          ['docMetadata/LabelInfo.xml', 'application/vnd.ms-office.classificationlabels+xml', '<labelList/>'],
          ['xl/slicers/slicer1.xml', 'application/vnd.ms-excel.slicer+xml', '<slicers/>'],
          ['xl/timelines/timeline1.xml', 'application/vnd.ms-excel.timeline+xml', '<timelines/>'],
        ],
        textPart(
          'xl/_rels/workbook.xml.rels',
          relationships(
            ['sheetMetadata', 'metadata.xml'],
            [`${OFFICE}/2017/06/relationships/rdRichValue`, 'richData/rdrichvalue.xml'],
            [`${OFFICE}/2022/10/relationships/richValueRel`, 'richData/richValueRel.xml'],
            [`${OFFICE}/2017/10/relationships/person`, 'persons/person.xml'],
            [
              `${OFFICE}/2022/11/relationships/FeaturePropertyBag`,
              'featurePropertyBag/featurePropertyBag.xml',
            ],
            [`${OFFICE}/2007/relationships/slicerCache`, 'slicerCaches/slicerCache1.xml'],
            [`${OFFICE}/2020/02/relationships/classificationlabels`, '/docMetadata/LabelInfo.xml'],
          ),
        ),
        textPart('xl/richData/_rels/richValueRel.xml.rels', relationships(['image', '../media/image1.png'])),
        picture,
      ),
    ],
    [
      'Google: its own metadata',
      book(
        [['xl/metadata', 'application/binary', '{"sheets":[]}']],
        textPart(
          'xl/_rels/workbook.xml.rels',
          relationships(['http://customschemas.google.com/relationships/workbookmetadata', 'metadata']),
        ),
      ),
    ],
    [
      'WPS: pictures in cells',
      book(
        [['xl/cellimages.xml', 'application/vnd.wps-officedocument.cellimage+xml', '<cellImages/>']],
        textPart(
          'xl/_rels/workbook.xml.rels',
          relationships(['http://www.wps.cn/officeDocument/2020/cellImage', 'cellimages.xml']),
        ),
        picture,
      ),
    ],
    [
      'a corporate template: custom XML, custom properties, thumbnail, signature',
      book(
        [
          [
            'customXml/item1.xml',
            'application/xml',
            '<p:properties xmlns:p="urn:x"><p:formula>CALL me</p:formula></p:properties>',
          ],
          [
            'customXml/itemProps1.xml',
            'application/vnd.openxmlformats-officedocument.customXmlProperties+xml',
            '<datastoreItem/>',
          ],
          [
            'docProps/custom.xml',
            'application/vnd.openxmlformats-officedocument.custom-properties+xml',
            '<Properties/>',
          ],
          [
            '_xmlsignatures/sig1.xml',
            'application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml',
            '<Signature/>',
          ],
          [
            '_xmlsignatures/origin.sigs',
            'application/vnd.openxmlformats-package.digital-signature-origin',
            '',
          ],
        ],
        textPart(
          'xl/_rels/workbook.xml.rels',
          relationships(
            ['customXml', '../customXml/item1.xml'],
            [
              'http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail',
              '../docProps/thumbnail.png',
            ],
            [
              'http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin',
              '/_xmlsignatures/origin.sigs',
            ],
          ),
        ),
        { ...picture, name: 'docProps/thumbnail.png' },
      ),
    ],
    [
      'a shared workbook and SmartArt',
      book([
        ['xl/revisions/revisionHeaders.xml', `${SHEETS}.revisionHeaders+xml`, '<headers/>'],
        ['xl/revisions/userNames.xml', `${SHEETS}.userNames+xml`, '<users/>'],
        [
          'xl/diagrams/data1.xml',
          'application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml',
          '<dataModel/>',
        ],
        ['xl/diagrams/drawing1.xml', 'application/vnd.ms-office.drawingml.diagramDrawing+xml', '<drawing/>'],
      ]),
    ],
    [
      'the strict form',
      xlsx(
        textPart(
          'xl/worksheets/sheet1.xml',
          '<worksheet xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main"/>',
        ),
        textPart(
          'xl/_rels/workbook.xml.rels',
          relationships([
            'http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet',
            'worksheets/sheet1.xml',
          ]),
        ),
      ),
    ],
    ['folders among its entries', xlsx(textPart('xl/worksheets/', ''), textPart('_rels/', ''))],
  ])('a workbook as written by %s passes', async (_what, bytes) => {
    expect(await faultOf(XLSX, bytes)).toBeUndefined();
  });
});
