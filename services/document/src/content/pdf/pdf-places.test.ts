import { pdfOf } from '../../../testing/pdf-writer.ts';
import type { FaultRule } from '../content-fault.ts';
import { pdfFault } from './pdf-fault.ts';

const ruleOf = (bytes: Buffer) => pdfFault(bytes, true)?.rule;

type Parts = Parameters<typeof pdfOf>[0];

describe('a PDF is refused for', () => {
  it.each<[string, FaultRule, (text: string) => Parts, readonly string[]]>([
    [
      'media without a rectangle',
      'pdf-media',
      (text) => ({ page: `/Annots ${text}`, objects: { 20: '<< /Subtype /3D >>', 21: '[ 20 0 R ]' } }),
      [
        ...['3D', 'Movie', 'Screen', 'RichMedia', 'Sound'].map((type) => `[ << /Subtype /${type} >> ]`),
        ...['[ 20 0 R ]', '21 0 R', '[ 99 0 R 21 0 R ]', '[] /Other << /Type /Annot /Subtype /3D >>'],
      ],
    ],
    [
      'the program of a portfolio',
      'pdf-media',
      (text) => ({
        catalog: `/Collection ${text}`,
        objects: { 20: '<< /View /C /Navigator 21 0 R >>', 21: '<< /SWF (x) >>' },
      }),
      ['<< /Navigator << /SWF (x) >> >>', '<< /Navigator 21 0 R >>', '20 0 R', '<< /#4eavigator 21 0 R >>'],
    ],
    [
      'a page of another file',
      'pdf-external-target',
      (text) => ({ objects: { 20: '<< /Ref 21 0 R >>', 21: `<< ${text} >>`, 22: '(a.pdf)' } }),
      [
        '/F (a.pdf)',
        '/F << /F (a.pdf) >>',
        '/F 22 0 R',
        '/F << /FS /URL /F (https://a.example) >> /Page (1)',
      ],
    ],
    [
      'data outside',
      'pdf-external-target',
      (text) => ({
        objects: { 20: { dictionary: `${text} /F 21 0 R`, content: Buffer.alloc(0) }, 21: '<< /F (a) >>' },
      }),
      ['/Type /Metadata', '/Length1 0', '/Subtype /Image', '/Type /Sound', '/Subtype /Type1C'],
    ],
    [
      'a base of links',
      'pdf-external-target',
      (text) => ({ catalog: `/URI << /Base ${text} >>`, objects: { 20: '(file:///)' } }),
      [
        '(file:///c:/a/)',
        '(\\\\\\\\host\\\\a)',
        '<feff00660069006c0065003a>',
        '20 0 R',
        '(javascript:)',
        '(c:/)',
      ],
    ],
    [
      'an address for signing',
      'pdf-external-target',
      (text) => ({ objects: { 20: `<< /FT /Sig /SV << ${text} >> >>`, 21: '<< /URL (ldap://a) >>' } }),
      [
        ...['/Cert << /URL (file:///c:/x.exe) >>', '/TimeStamp << /URL (\\\\\\\\a\\\\b) >>', '/Cert 21 0 R'],
        ...['/TimeStamp << /URL 21 0 R >>', '/Cert << /URL (https://a.example) /URL (a.exe) >>'],
      ],
    ],
    [
      'a script for a requirement',
      'pdf-script',
      (text) => ({
        catalog: `/Requirements [ << /S /EnableJavaScripts /RH ${text} >> ]`,
        objects: { 20: '<< /S /JS /Script (x) >>', 21: '[ 20 0 R ]' },
      }),
      ['<< /S /JS /Script (x) >>', '[ << /S /JS /Script 99 0 R >> ]', '20 0 R', '[ 20 0 R ]', '21 0 R'],
    ],
    [
      'an action of several types',
      'pdf-script',
      (text) => ({
        catalog: `/OpenAction << /S ${text} /JS (x) >>`,
        objects: { 20: '[ 21 0 R ]', 21: '/JavaScript' },
      }),
      [
        '[ /JavaScript ]',
        '20 0 R',
        '[ 21 0 R ]',
        '[ /GoTo /JavaScript ]',
        '[ (JavaScript) ]',
        '[ /J#61vaScript ]',
      ],
    ],
  ])('%s, however it is written', (_what, rule, partsOf, texts) => {
    expect(texts.map((text) => [text, ruleOf(pdfOf(partsOf(text)))])).toEqual(
      texts.map((text) => [text, rule]),
    );
  });
});
