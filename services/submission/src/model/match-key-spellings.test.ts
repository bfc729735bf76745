import { keyOf, type MatchKeys, matchRule } from './match-keys.ts';

const KINDS = ['company', 'telephone', 'email'] as const;

/** How tired and inventive suppliers write one customer's contact: each list means the first value. */
const SPELLINGS: Readonly<Record<keyof MatchKeys, readonly (readonly string[])[]>> = {
  email: [
    [
      ...['a@example.com', '\u200ba@example.com', 'a@example.com\u200d', 'a\u00ad@example.com'],
      ...['a@exam\ufe0fple.com'],
    ],
    [
      ...['a@example.com', '\u2068a@example.com\u2069', '\u202aa@example.com\u202c', 'a@example\u200f.com'],
      ...['\u3164a@example.com', 'a\u2060@example.com', 'a@example.com\u{e0041}', '\u2800a@example.com'],
    ],
    [
      ...[
        'a@example.com',
        'a\uff20example.com',
        'ａ@ｅｘａｍｐｌｅ.com',
        'a\ufe6bexample.com',
        'a@example。com',
      ],
      ...['a@example．com', 'Ａ@example.com'],
    ],
    [
      ...['a@example.com', '<a@example.com>', 'Sam Field <a@example.com>', '"Field, Sam" <a@example.com>'],
      ...[
        '‹a@example.com›',
        'Sam (a@example.com)',
        '[a@example.com]',
        '«a@example.com»',
        '＜a@example.com＞',
      ],
      ...['a@example.com <a@example.com>', 'a@example.com (Sam)', 'a(work)@example.com'],
    ],
    [
      ...['a@example.com', 'mailto:a@example.com', 'MAILTO: a@example.com', '<mailto:a@example.com>'],
      ...['mailto:a%40example.com', 'mailto:a@example.com?subject=x'],
      ...['[a@example.com](mailto:a@example.com)', 'SMTP:a@example.com', '%20a@example.com'],
    ],
    [
      ...['a@example.com', 'a@example.com.', 'a@example.com;', 'a@example.com,', 'a@example.com.,;'],
      ...['a@example.com>', 'a@example..com', '.a@example.com', 'a.@example.com', 'a@.example.com'],
    ],
    [
      ...['some.one@customer.example', 'some.one @customer.example', 'some.one@ customer.example'],
      ...[' some . one @ customer . example ', 'some.one\u00a0@customer.example'],
      ...['some.\tone@customer.example\n'],
    ],
    [
      ...['some.one@customer.example', '"some.one"@customer.example', '"some\\.one"@customer.example'],
      ...["'some.one@customer.example'", "'some.one@customer.example", '“some.one”@customer.example'],
      ...['`some.one@customer.example`'],
    ],
    [
      ...["o'hara@example.com", 'o’hara@example.com', 'O‘Hara@example.com', 'oʼhara@example.com'],
      ...["O'HARA@EXAMPLE.COM", "'o'hara@example.com'"],
    ],
    [
      ...['a-b@bücher.example', 'a-b@xn--bcher-kva.example', 'A-B@BÜCHER.example', 'a–b@bücher.example'],
      ...['a-b@bu\u0308cher.example', 'a-b@XN--BCHER-KVA.example'],
    ],
    [
      ...['ada@example.com', 'Ada Byron ada@example.com', 'ada@example.com Ada', 'ada@example.com - Ada'],
      ...['ada@example.com or call', 'Ada ada@example.com', 'Email: ada@example.com'],
      ...['Ada Byron: ada@example.com Ada', 'https://ada@example.com', 'ada@example,com'],
      ...['Sam<ada@example.com'],
    ],
    [
      ...['josmith@example.com', 'jo smith@example.com', 'j o s m i t h@example.com', 'j osmith@example.com'],
      ...['mailto:jo smith@example.com', 'JO SMITH@example.com'],
    ],
    [
      ...['info@thebakery.com', 'info@the bakery.com', 'info@the bakery .com', 'info@ thebakery. com'],
      ...['Info@TheBakery.com'],
    ],
  ],
  telephone: [
    [
      ...['07700 900155', '1) 07700 900155', '2. +44 7700 900155', '011 44 7700 900155'],
      ...['0011 44 7700 900155', '011 44 (0)7700 900155', '7.700900155E9', '7,700900155e+09'],
      ...['4.47700900155E+11'],
    ],
    [
      ...['0161 555 7788', '0161 555 77 B88', '0161 555 77B88', '0161-555-77O88', '0161 call 5557788'],
      ...['0161 555 7788 mob', 'tel 01615557788'],
    ],
    ['0161 555 778', '0161 555 77 B8', '0161 555 77x8', '0161 555 77 b 8', '016155577B8', '+44161555778'],
    [
      ...['07700 900123', '7700900123.0', '447700900123.0', '07700 900123.0', '7700900123.00'],
      ...["'07700900123", '="07700900123"'],
    ],
    [
      ...['07700 900123', '+44+7700900123', '+44+447700900123', '++447700900123', '+07700900123'],
      ...['+0044 7700 900123', '%2B447700900123', 'tel:%2B44%207700%20900123'],
    ],
    [
      ...['07700 900123', '00044 7700 900123', '000447700900123', '0044(0)7700900123', '+44(0)7700 900123'],
      ...['007700900123', '0447700900123', '44 (0) 7700 900123', '447700900123'],
    ],
    [
      ...[
        '07700 900123',
        '０７７００ ９００１２３',
        '٠٧٧٠٠٩٠٠١٢٣',
        '۰۷۷۰۰۹۰۰۱۲۳',
        '०७७००९००१२३',
        '+４４７７００９００１２３',
      ],
      ...['\u202a07700900123\u202c', '07700\u200b900123'],
    ],
    [
      ...['07700 900123', '07700900123 x123', '07700 900123 ext. 4', '07700900123;ext=4', '07700 900123 #12'],
      ...['07700 900123 extn 7', '07700 900123 extension 77', '07700 900123 (Jo, after 6)'],
    ],
    [
      ...['07700 900123', '07700900123/07700900999', '07700 900123 or 0161 496 0000', '07700900123; 2'],
      ...['07700900123,07700900124', '07700900123 | 9', '07700900123/4'],
    ],
    [
      ...['+353871234567', '353871234567', '00353871234567', '+353 (87) 123-4567', '000353871234567'],
      ...['IE 353871234567'],
    ],
  ],
  company: [
    [
      ...['01234567', 'No. 01234567', 'No.1234567', '№ 1234567', 'Nº 01234567', 'NO: 01234567'],
      ...['Company No. 01234567', 'Reg. No. 1234567', 'CRN 01234567', '#01234567'],
    ],
    ['01234567', 'GB01234567', 'gb 1234567', 'GB: 01234567', 'UK01234567', 'GB No. 01234567', 'ＧＢ01234567'],
    ['01234567', "'01234567", '’01234567', '`01234567', '="01234567"', '"01234567"', "'01234567'"],
    [
      ...['01234567', '01234567.0', '1234567.00', '1,234,567', '01234567.', '01234567,', '\u200b01234567'],
      ...['01\u00ad234567', '٠١٢٣٤٥٦٧'],
    ],
    [
      ...['SC123456', 'SC-123456', 'S C 1 2 3 4 5 6', 'SC.123456', 'No. SC123456', 'GBSC123456', 'sc/123456'],
      ...["'SC123456"],
    ],
    [
      ...['SC654321', 'SC654321 (Scotland)', 'SC0654321', 'SC00654321', 'S.C.654321', 'S.C. 654321'],
      ...['SC 654321 Ltd', 'SC654321, Limited', 'SC654321/', 'SC-654-321'],
    ],
    [
      ...['00123456', '00-123-456', '00.123.456', 'O0123456', 'OO123456', '00123456 [England]'],
      ...['00123456 plc', '1.23456E5'],
    ],
    ['IP12345R', 'IP12345R (society)', 'IP012345R', 'I.P.12345R', 'IP12345R Ltd.'],
    ['NO123456', 'no 123456', 'NO 1 2 3 4 5 6', 'NO-123456', "'NO123456", 'ＮＯ123456'],
  ],
};

it.each(KINDS.flatMap((kind) => SPELLINGS[kind].map((list) => [kind, list[0] ?? '', list] as const)))(
  '%s %s has one key in every spelling',
  (kind, meant, spellings) => {
    const key = keyOf(kind, meant);
    expect(key).toBeDefined();
    expect(spellings.map((text) => [text, keyOf(kind, text)])).toEqual(spellings.map((text) => [text, key]));
    expect(spellings.length).toBeGreaterThan(4);
  },
);

/** Values that look alike and name different customers. */
const DIFFERENT: Readonly<Record<keyof MatchKeys, readonly string[]>> = {
  email: [
    ...['some.one@example.com', 'someone@example.com', 'some+one@example.com', 'some-one@example.com'],
    ...['some_one@example.com', 'one@example.com', 'some.one@mail.example.com', 'some.one@example.co'],
    ...["some.o'ne@example.com", 'some.one1@example.com', 'sóme.one@example.com', 'some.one@éxample.com'],
    ...['"field, sam" <sam@example.com>', 'josmith@example.com', 'annsmith@example.com', 'smith@example.com'],
    ...['jo|smith@example.com', 'jo,smith@example.com', 'jo:smith@example.com', 'corp\\smith@example.com'],
    ...['jo;smith@example.com', 'jo/smith@example.com', '"jo".smith@example.com', 'x"smith"@example.com'],
    ...['mary smith@example.com', '|smith@example.com', 'smith@the bakery.com', 'smith@the butcher.com'],
  ],
  telephone: [
    ...['07700 900123', '07700 900124', '07700 90012', '0161 496 0123', '+33 7 70 09 00 12'],
    ...['+1 770 090 0123'],
    ...['0114 477 0090', '+1 144 770 0900', '020 7946 0123', '0800 1111', '077009001234'],
    ...['+353 77 0090 0123', '07700 900213', '07700 900100'],
  ],
  company: [
    ...['01234567', '12345670', '00123456', 'SC123456', 'NI123456', 'OC123456', 'NO123456', 'GE123456'],
    ...['NP123456', 'IP12345R', 'SP12345R', '00000012', '00000120'],
  ],
};

it.each(KINDS)('%s: values of different customers have different keys', (kind) => {
  const keys = DIFFERENT[kind].map((text) => keyOf(kind, text));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain(undefined);
});

/** Two addresses, an address in words, and a number that a spreadsheet has rounded, name nobody. */
it.each([
  [
    'email',
    ['a@example.com, b@example.com', 'a at example.com', 'a(at)example.com', '@example.com', '<>@<>', '"" @'],
  ],
  [
    'telephone',
    [
      ...['4.47701E+11', '7,7E9', "'4.47701E+11", '0000000.0', '+44 1111111111.0', '07777 777777 x1', 'n/a'],
      ...['N⁄A'],
    ],
  ],
  ['company', ['1.2E7', 'No. 0', 'GB 11111111', 'No. N/A', 'GB123456789', "'00000000", '11111111.0', '№']],
  [
    'company',
    [
      ...['12 (employees)', '10 Ltd', '01-02-1990', '1990-02-01', '2019-2020', '12-34-56', 'IP12345(R)'],
      ...['0161-4960'],
    ],
  ],
  ['telephone', ['7.7009E9', '7.70090015E9', '1) n/a']],
] as const)('%s: a value that names nobody has no key in any spelling', (kind, texts) => {
  expect(texts.map((text) => [text, keyOf(kind, text)])).toEqual(texts.map((text) => [text, undefined]));
});

it.each<keyof MatchKeys>(KINDS)('%s: a listed value has no key in any spelling', (kind) => {
  for (const [meant, ...others] of SPELLINGS[kind]) {
    const rule = matchRule([{ kind, text: others.at(-1) ?? '' }]);
    const field = { company: 'companyNumber', telephone: 'telephone', email: 'email' }[kind];
    for (const text of [meant, ...others])
      expect([text, rule.keysOf({ [field]: text })[kind]]).toEqual([text, undefined]);
  }
});
