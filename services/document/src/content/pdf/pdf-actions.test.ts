import { appended, objectStream, type PdfPart, pdfOf } from '../../../testing/pdf-writer.ts';
import { samples } from '../../../testing/samples/samples.ts';
import { FAULTS, type FaultRule } from '../content-fault.ts';
import { pdfFault } from './pdf-fault.ts';

const ruleOf = (bytes: Buffer) => pdfFault(bytes, true)?.rule;

/** Actions that do more than follow a link, with the rule that each breaks. */
const ACTIONS: readonly (readonly [string, string, FaultRule])[] = [
  ['a script', '<< /S /JavaScript /JS (app.alert\\(1\\)) >>', 'pdf-script'],
  ['a script with a type', '<< /Type /Action /S /JavaScript /JS 20 0 R >>', 'pdf-script'],
  ['a program', '<< /S /Launch /F (cmd.exe) >>', 'pdf-launch'],
  ['a program for Windows', '<< /S /Launch /Win << /F (cmd.exe) >> >>', 'pdf-launch'],
  [
    'a form that is sent',
    '<< /S /SubmitForm /F << /FS /URL /F (https://a.example) >> >>',
    'pdf-form-submission',
  ],
  ['form data that is loaded', '<< /S /ImportData /F (a.fdf) >>', 'pdf-form-submission'],
  ['a place of another file', '<< /S /GoTo /F (a.pdf) /D [ 0 /Fit ] >>', 'pdf-external-target'],
  ['another PDF', '<< /S /GoToR /F (a.pdf) /D [ 0 /Fit ] >>', 'pdf-external-target'],
  ['an embedded PDF', '<< /S /GoToE /T << /R /C /N (a.pdf) >> /D [ 0 /Fit ] >>', 'pdf-external-target'],
  ['an article of another file', '<< /S /Thread /F (a.pdf) /D 0 >>', 'pdf-external-target'],
  ['a local file', '<< /S /URI /URI (file:///etc/passwd) >>', 'pdf-external-target'],
  ['a network share', '<< /S /URI /URI (\\\\\\\\host\\\\share) >>', 'pdf-external-target'],
  ['a script as an address', '<< /S /URI /URI (javascript:alert\\(1\\)) >>', 'pdf-external-target'],
  ['an address in UTF-16', '<< /S /URI /URI <feff00660069006c0065003a> >>', 'pdf-external-target'],
  ['an address without scheme', '<< /S /URI /URI (a.exe) >>', 'pdf-external-target'],
  ['no address', '<< /S /URI >>', 'pdf-external-target'],
  ['a rendition', '<< /S /Rendition /OP 0 /R 20 0 R /AN 21 0 R >>', 'pdf-media'],
  ['a movie', '<< /S /Movie /Operation /Play >>', 'pdf-media'],
  ['a sound', '<< /S /Sound /Sound 20 0 R >>', 'pdf-media'],
  ['a 3D view', '<< /S /GoTo3DView /TA 20 0 R /V /F >>', 'pdf-media'],
  ['rich media', '<< /S /RichMediaExecute /TA 20 0 R /CMD << /C (a) >> >>', 'pdf-media'],
  ['hidden fields', '<< /S /Hide /T (a) >>', 'pdf-other-action'],
  ['layers', '<< /S /SetOCGState /State [ /OFF 20 0 R ] >>', 'pdf-other-action'],
  ['a form that is reset', '<< /S /ResetForm >>', 'pdf-other-action'],
  ['a print dialog', '<< /S /Named /N /Print >>', 'pdf-other-action'],
  ['an unknown type', '<< /S /Xyz >>', 'pdf-other-action'],
];

const link = (action: string) => `/Annots [ << /Type /Annot /Subtype /Link /Rect [ 0 0 9 9 ] ${action} >> ]`;
type Place = (action: string) => Buffer;
const opening: Place = (action) => pdfOf({ catalog: `/OpenAction ${action}` });
/** Places of actions. */
const PLACES: readonly (readonly [string, Place])[] = [
  ['when the document opens', opening],
  ['of a link', (action) => pdfOf({ page: link(`/A ${action}`) })],
  [
    'of an outline item',
    (action) =>
      pdfOf({
        catalog: '/Outlines 5 0 R',
        objects: { 5: '<< /First 6 0 R >>', 6: `<< /Title (a) /A ${action} >>` },
      }),
  ],
  ['when the document closes', (action) => pdfOf({ catalog: `/AA << /WC ${action} >>` })],
  ['when a page opens', (action) => pdfOf({ page: `/AA << /O ${action} >>` })],
  [
    'of a field',
    (action) =>
      pdfOf({
        catalog: '/AcroForm << /Fields [ 5 0 R ] >>',
        objects: { 5: `<< /T (a) /AA << /K ${action} >> >>` },
      }),
  ],
  [
    'after another action',
    (action) => pdfOf({ page: link(`/A << /S /GoTo /D [ 3 0 R /Fit ] /Next ${action} >>`) }),
  ],
  [
    'in a list after another',
    (action) => pdfOf({ page: link(`/A << /S /GoTo /D (a) /Next [ << /S /GoTo /D (b) >> ${action} ] >>`) }),
  ],
  ['of a presentation', (action) => pdfOf({ page: `/PresSteps << /Type /NavNode /NA ${action} >>` })],
];

/** Ways to write an action at a place. */
const WAYS: readonly (readonly [string, (action: string, place: Place) => Buffer])[] = [
  ['directly', (action, place) => place(action)],
  ['by reference', (action, place) => withObjects(place('9 0 R'), { 9: action })],
  ['by two references', (action, place) => withObjects(place('9 0 R'), { 9: '10 0 R', 10: action })],
  [
    'in an object stream',
    (action, place) => withObjects(place('9 0 R'), { 11: objectStream({ 9: action }) }),
  ],
  [
    'in an object stream without type',
    (action, place) => withObjects(place('9 0 R'), { 11: objectStream({ 9: action }, { type: '' }) }),
  ],
  [
    'in an object stream that is not compressed',
    (action, place) =>
      withObjects(place('9 0 R'), {
        11: objectStream({ 9: action }, { filter: '', encode: (bytes) => bytes }),
      }),
  ],
  ['in an update', (action, place) => appended(withObjects(place('9 0 R'), { 9: 'null' }), { 9: action })],
  [
    'in a revision that is no longer shown',
    (action, place) => appended(withObjects(place('9 0 R'), { 9: action }), { 9: 'null' }),
  ],
  [
    'with its type by reference',
    (action, place) =>
      withObjects(place(action.replace(/\/S (\/\w+)/, '/S 9 0 R')), {
        9: /\/S (\/\w+)/.exec(action)?.[1] ?? '',
      }),
  ],
  ['with its names escaped', (action, place) => place(escaped(action))],
  ['with its key twice', (action, place) => place(action.replace('/S ', '/S /Named /S '))],
  ['with its key twice, reversed', (action, place) => place(action.replace(/(\/S \/\w+)/, '$1 /S /Named'))],
  ['with comments', (action, place) => place(action.replace('/S ', '/S%/GoTo\n'))],
];

const withObjects = (file: Buffer, objects: Readonly<Record<number, PdfPart>>) => appended(file, objects);
/** Writes the second letter of each name as an escape. */
const escaped = (text: string) =>
  text.replace(
    /\/(\w)(\w)(\w)/g,
    (_, one: string, two: string, three: string) => `/${one}#${two.charCodeAt(0).toString(16)}${three}`,
  );

describe.each(ACTIONS)('a PDF with %s', (_what, action, rule) => {
  it('is refused wherever it is the action', () => {
    expect(PLACES.map(([where, place]) => [where, ruleOf(place(action))])).toEqual(
      PLACES.map(([where]) => [where, rule]),
    );
  });

  it('is refused however the action is written', () => {
    expect(WAYS.map(([way, write]) => [way, ruleOf(write(action, opening))])).toEqual(
      WAYS.map(([way]) => [way, rule]),
    );
  });
});

it.each(PLACES)('a PDF is refused for an action %s, however it is written', (_where, place) => {
  expect(WAYS.map(([way, write]) => [way, ruleOf(write('<< /S /JavaScript /JS (x) >>', place))])).toEqual(
    WAYS.map(([way]) => [way, 'pdf-script']),
  );
});

describe('an address in a PDF', () => {
  const action = (address: string) => `<< /S /URI /URI ${address} >>`;

  it.each([
    '(https://bank.example/)',
    '(HTTP://bank.example)',
    '(mailto:a@bank.example)',
    '<68747470733a2f2f61>',
    '(\\150ttps://a)',
    '20 0 R',
  ])('is accepted on a click: %s', (address) => {
    for (const place of PLACES.slice(1, 3))
      expect(ruleOf(withObjects(place[1](action(address)), { 20: '(https://a.example)' }))).toBeUndefined();
  });

  it('is refused without a click', () => {
    const events = PLACES.filter((_, index) => index !== 1 && index !== 2);
    expect(events.map(([where, place]) => [where, ruleOf(place(action('(https://a.example)')))])).toEqual(
      events.map(([where]) => [where, 'pdf-external-target']),
    );
  });

  it('is refused if one of its revisions is a file', () => {
    const file = pdfOf({ page: link(`/A ${action('9 0 R')}`), objects: { 9: '(file:///a)' } });
    expect(ruleOf(appended(file, { 9: '(https://a.example)' }))).toBe('pdf-external-target');
  });
});

it.each(['NextPage', 'PrevPage', 'FirstPage', 'LastPage', 'GoBack', 'GoForward'])(
  'accepts the named action %s',
  (name) => {
    for (const [, place] of PLACES) expect(ruleOf(place(`<< /S /Named /N /${name} >>`))).toBeUndefined();
  },
);

describe('a PDF is refused for', () => {
  const SCRIPT = '<< /S /JavaScript /JS (x) >>';
  const annotation = (subtype: string, more = '') => ({
    page: `/Annots [ << /Subtype /${subtype} /Rect [ 0 0 9 9 ] ${more} >> ]`,
  });
  const embedded = { dictionary: '/Type /EmbeddedFile', content: Buffer.from('a') };
  const FILE = '<< /Type /Filespec /F (a.exe) /EF << /F 21 0 R >> >>';

  it.each<[string, FaultRule, Parameters<typeof pdfOf>[0]]>([
    ['scripts by name', 'pdf-script', { catalog: `/Names << /JavaScript << /Names [ (a) ${SCRIPT} ] >> >>` }],
    [
      'scripts by name, by reference and in a tree',
      'pdf-script',
      {
        catalog: '/Names 20 0 R',
        objects: {
          20: '<< /JavaScript 21 0 R >>',
          21: '<< /Kids [ 22 0 R ] >>',
          22: '<< /Names 23 0 R >>',
          23: '[ (a) 24 0 R ]',
          24: SCRIPT,
        },
      },
    ],
    [
      'scripts by name of an unknown kind',
      'pdf-script',
      { catalog: '/Names << /JavaScript << /Names [ (a) 99 0 R ] >> >>' },
    ],
    ['a script to which nothing refers', 'pdf-script', { objects: { 20: SCRIPT } }],
    ['a program to which nothing refers', 'pdf-launch', { objects: { 20: '<< /S /Launch /F (a.exe) >>' } }],
    [
      'files by name',
      'pdf-attachment',
      { catalog: `/Names << /EmbeddedFiles << /Names [ (a) ${FILE} ] >> >>`, objects: { 21: embedded } },
    ],
    [
      'files by name without content',
      'pdf-attachment',
      { catalog: '/Names << /EmbeddedFiles << /Names [ (a) (b) ] >> >>' },
    ],
    [
      'associated files',
      'pdf-attachment',
      { catalog: '/AF [ 20 0 R ]', objects: { 20: FILE, 21: embedded } },
    ],
    ['an associated file outside', 'pdf-attachment', { catalog: '/AF << /F (a.xml) >>' }],
    ['a file to which nothing refers', 'pdf-attachment', { objects: { 21: embedded } }],
    [
      'a file specification with content',
      'pdf-attachment',
      { objects: { 20: '<< /EF << /UF 21 0 R >> >>', 21: { dictionary: '', content: Buffer.from('a') } } },
    ],
    ['a file on a page', 'pdf-attachment', annotation('FileAttachment', '/FS << /F (a) >>')],
    ['rich media', 'pdf-media', annotation('RichMedia')],
    ['a movie', 'pdf-media', annotation('Movie', '/Movie << /F (a.avi) >> /A true')],
    ['a sound', 'pdf-media', annotation('Sound')],
    ['a screen', 'pdf-media', annotation('Screen')],
    ['3D', 'pdf-media', annotation('3D')],
    [
      'a subtype by reference',
      'pdf-media',
      { ...annotation('X', '/Subtype 20 0 R'), objects: { 20: '/Movie' } },
    ],
    ['renditions by name', 'pdf-media', { catalog: '/Names << /Renditions << /Names [ (a) 20 0 R ] >> >>' }],
    [
      'a slide show',
      'pdf-media',
      { catalog: '/Names << /AlternatePresentations << /Names [ (a) 20 0 R ] >> >>' },
    ],
    ['an XFA form', 'pdf-xfa', { catalog: '/AcroForm << /XFA [ (template) 20 0 R ] /Fields [] >>' }],
    [
      'an XFA form in one stream',
      'pdf-xfa',
      {
        catalog: '/AcroForm 20 0 R',
        objects: { 20: '<< /XFA 21 0 R >>', 21: { dictionary: '', content: Buffer.from('<xdp/>') } },
      },
    ],
    [
      'a stream outside',
      'pdf-external-target',
      { objects: { 20: { dictionary: '/F (https://a.example/b)', content: Buffer.alloc(0) } } },
    ],
    [
      'a page of another file',
      'pdf-external-target',
      { objects: { 20: '<< /Subtype /Form /Ref << /F (a.pdf) /Page 0 >> >>' } },
    ],
    [
      'a second encryption',
      'pdf-encrypted',
      { objects: { 20: '<< /Filter /Standard /V 1 /R 2 /O () /U () /P 0 >>' }, trailer: '/Encrypt 20 0 R' },
    ],
    [
      'encryption for certain persons',
      'pdf-encrypted',
      { objects: { 20: '<< /Filter /Adobe.PubSec /V 4 >>' }, trailer: '/Encrypt 20 0 R' },
    ],
    ['a name with NUL', 'pdf-unreadable', { catalog: '/A#00b 1' }],
    ['a key without value', 'pdf-unreadable', { catalog: '/Open' }],
    ['a huge number of an object', 'pdf-unreadable', { catalog: '/A 4294967305 0 R' }],
  ])('%s', (_what, rule, parts) => {
    expect(ruleOf(pdfOf(parts))).toBe(rule);
  });

  it('for encryption that only some of its trailers declare', () => {
    const encryption = '<< /Filter /Standard /V 1 /R 2 /O () /U () /P 0 >>';
    expect(
      ruleOf(appended(pdfOf({ objects: { 20: encryption }, trailer: '/Encrypt 20 0 R' }), { 21: '1' })),
    ).toBe('pdf-encrypted');
  });

  it.each(['9 % 8\n 0 obj', '9 0 % 8 0\n obj', '9 %\n 0 obj', `9 %${'x'.repeat(999)} 8\r0 obj`])(
    'for an object whose number is unclear: %s',
    (start) => {
      const file = pdfOf({ page: link('/A 9 0 R') }).toString('latin1');
      const hidden = file.replace('xref', `${start} << /S /Hide /T (a) >> endobj\nxref`);
      expect(ruleOf(Buffer.from(hidden, 'latin1'))).toBe('pdf-unreadable');
    },
  );

  it('for an object stream that ends early for some readers', () => {
    const content = Buffer.from('8 0 9 12 (endstream) \n');
    const objects = { 5: { dictionary: '/Type /ObjStm /N 2 /First 9', content } };
    expect(ruleOf(pdfOf({ objects }))).toBe('pdf-unreadable');
  });

  it('for a name that one reader decodes from other signs', () => {
    // 0x3d - 0x37 = 6: what a reader computes without testing that the sign is a digit.
    expect(ruleOf(pdfOf({ catalog: '/OpenAction << /S /J#=1vaScript /JS (x) >>' }))).toBe('pdf-script');
  });

  const refused = new Map(samples('pdf/refused'));
  it.each([
    ['pdf-attachment.pdf', 'pdf-attachment'],
    ['pdf-attachment-program.pdf', 'pdf-attachment'],
    ['pdf-encrypted.pdf', 'pdf-encrypted'],
    ['pdf-encrypted-rc4.pdf', 'pdf-encrypted'],
    ['pdf-external-target-encrypted-r3.pdf', 'pdf-external-target'],
    ['pdf-script-encrypted-r3.pdf', 'pdf-script'],
    ['pdf-script-encrypted-r4.pdf', 'pdf-script'],
    ['pdf-script-encrypted-r6.pdf', 'pdf-script'],
  ])('the sample %s', (name, rule) => {
    expect(ruleOf(refused.get(name) ?? Buffer.alloc(0))).toBe(rule);
  });
});

it('names no crypt filter of the document', () => {
  const filters = '/CF << /Secret << /CFM /V2 >> /Secret << /CFM /V2 >> >> /StmF /Secret';
  const objects = { 20: `<< /Filter /Standard /V 4 /R 4 /O () /U () /P 0 ${filters} >>` };
  expect(pdfFault(pdfOf({ objects, trailer: '/Encrypt 20 0 R' }), true)).toEqual({
    rule: 'pdf-encrypted',
    part: 'encryption',
  });
});

it('names a place without text of the document', () => {
  const faults = ACTIONS.flatMap(([, action]) => PLACES.map(([, place]) => pdfFault(place(action), true)));
  for (const { rule, part } of faults.filter((fault) => fault !== undefined)) {
    expect(rule in FAULTS).toBe(true);
    expect(part).toMatch(/^[\x20-\x7e]{1,60}$/);
  }
  expect(pdfFault(pdfOf({ catalog: '/OpenAction << /S /Launch >>' }), true)).toEqual({
    rule: 'pdf-launch',
    part: 'OpenAction in object 1',
  });
});
