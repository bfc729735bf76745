import { companyNumberOf, PUBLISHED_NUMBERS } from './company-number.ts';

/** Company numbers as Companies House publishes them: each prefix and suffix once, in the order of the table. */
const PUBLISHED = [
  ...['01234567', 'AC001234', 'BR001234', 'CE001234', 'FC012345', 'FE001234', 'GE000123', 'IC000123'],
  ...['IP012345', 'IP12345R', 'IP1234RS', 'LP012345', 'OC312345', 'OE012345', 'PC000123', 'RC000123'],
  ...['RS007853', 'RS00785R', 'RS0078RS', 'SE000123', 'ZC000123', 'CS001234', 'ES000012', 'GS000012'],
  ...['SA000123', 'SC123456', 'SF001234', 'SG000123', 'SI000012', 'SL012345', 'SO301234', 'SP012345'],
  ...['SP12345R', 'SP1234RS', 'SR000123', 'SZ000012', 'EN000012', 'GN000012', 'NA000012', 'NC001234'],
  ...['NF001234', 'NI012345', 'NL000123', 'NO000123', 'NO00123R', 'NO0123RS', 'NP000123', 'NP00123R'],
  ...['NP0123RS', 'NR000012', 'NV000012', 'NZ000012', 'R0823960'],
];

describe('a company number', () => {
  it.each(PUBLISHED)('accepts the published form %s', (number) => {
    expect(companyNumberOf(number)).toBe(number);
  });

  it('has a sample of each known prefix and suffix, and no other', () => {
    const listed = [...PUBLISHED_NUMBERS].flatMap(([prefix, suffixes]) =>
      suffixes.map((suffix) => `${prefix}-${suffix}`),
    );
    const parts = (number: string) => /^([A-Z]{2}|R0|)\d+([A-Z]*)$/.exec(number)?.slice(1).join('-');
    expect(PUBLISHED.map(parts)).toEqual(listed);
  });

  it.each(PUBLISHED)('%s is the same in lower case, with spaces and without its leading zeros', (number) => {
    const short = number.replace(/^(R0|\D*)0*(?=\d)/, '$1');
    for (const written of [short, short.toLowerCase(), [...number].join(' '), `\u200b${short}\u00a0`])
      expect([written, companyNumberOf(written)]).toEqual([written, number]);
  });

  it.each([
    ['r0 823960', 'R0823960'],
    ['R 0823960', 'R0823960'],
    ['Ｒ０８２３９６０', 'R0823960'],
    ['R0841738', 'R0841738'],
    ['R0928843', 'R0928843'],
    ['R01', 'R0000001'],
    ['sp 1234 rs', 'SP1234RS'],
    ['SP12RS', 'SP0012RS'],
    ['ip 5 r', 'IP00005R'],
  ])('normalises %j to %s', (written, number) => {
    expect(companyNumberOf(written)).toBe(number);
  });

  it.each([
    ['a prefix that is not published', ['AB123456', 'XX123456', 'RO823960', 'R1823960', 'S0123456']],
    ['one letter before the digits', ['R823960', 'S1234567', 'R08239601']],
    [
      'a suffix of another register',
      ['SC12345R', 'SC1234RS', 'NI12345R', 'R012345R', '1234567R', '123456RS'],
    ],
    ['a suffix that is not published', ['IP12345X', 'IP12345S', 'IP1234SR', 'IP123RRS']],
    ['too many digits', ['123456789', 'SC1234567', 'R01234567', 'IP123456R', 'SP12345RS']],
    ['no digits', ['', 'R', 'RS', 'SC', 'IPR', 'SPRS', 'R0']],
    ['zeros', ['0', '00000000', 'SC000000', 'R0000000', 'R00', 'IP00000R', 'SP0000RS']],
    ['one digit repeated', ['11', '11111111', '99999999']],
    ['punctuation', ['R0-823960', 'R0.823960', '01/234567', 'SP1234R.S', 'IP12345(R)']],
  ])('rejects %s', (_what, texts) => {
    for (const text of texts) expect([text, companyNumberOf(text)]).toEqual([text, undefined]);
  });
});
