import { contentCheck } from './content-check.ts';

/** Resolves to the rule and place that refuse the text. */
async function judged(content: string | Buffer, chunkBytes?: number): Promise<string> {
  const bytes = Buffer.from(content);
  const check = contentCheck('text/csv');
  const step = chunkBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += step) check.take(bytes.subarray(at, at + step));
  const fault = await check.fault();
  return fault ? `${fault.rule} ${fault.part ?? ''}`.trim() : 'clean';
}

describe('DDE formula', () => {
  const LINK = "cmd|' /C calc'!A0";

  it.each([
    `=${LINK}`,
    `+${LINK}`,
    `-${LINK}`,
    `@${LINK}`,
    `＝${LINK}`,
    ` =${LINK}`,
    `= ${LINK}`,
    `"=${LINK}"`,
    `"  =${LINK}"`,
    `"=1"+${LINK}`,
    `"=""a""&${LINK}"`,
    `"=\n${LINK}"`,
    `-2+3+${LINK}`,
    `@SUM(1+1)*${LINK}`,
    `=cmd${' '.repeat(20)}|${' '.repeat(20)}'/C calc'${' '.repeat(20)}!A0`,
    `"=SUM(1,${LINK})"`,
    `=IF(1,${LINK})`,
    `=1,5+${LINK}`,
    "=CMD | '/C calc' ! 'A0'",
    "=cmd|'/C calc, x;y'!A0",
    '=cmd|"/C calc"!A0',
    '"=cmd|""/C calc""!A0"',
    "='cmd'|'/C calc'!A0",
    "=C:\\windows\\system32\\cmd|'/C calc'!A0",
    "=rundll32|'URL.dll,OpenURL calc.exe'!A",
    "=MSEXCEL|'\\..\\..\\..\\Windows\\System32\\cmd.exe /c calc.exe'!''",
    "=cmd|'it''s'!A0",
    '=cmd|calc!A0',
    '=cmd|topic!A0',
    '-A1,cmd|calc!A0',
    '"-A1+SUM(A1,-5,cmd|calc!A0)"',
    '=DDE("cmd";"/C calc";"x")',
    '"=1+dde (""cmd"";""/C calc"";""x"")"',
  ])('is refused in any cell, however it arrives: %s', async (formula) => {
    for (const [before, after] of [
      ['', ''],
      ['a,b\r\n1,', ',2\r\n'],
      ['a;b\n1;', ';2\n'],
      ['a\tb\n1\t', '\t2\n'],
      ['a|b\n1|', '|2\n'],
    ]) {
      const content = `${before}${formula}${after}`;
      const line = before ? 2 : 1;
      for (const chunkBytes of [1, 2, 3, 5, 8, 13, content.length])
        expect([content, chunkBytes, await judged(content, chunkBytes)]).toEqual([
          content,
          chunkBytes,
          `csv-dde line ${line}`,
        ]);
    }
  });

  it('is refused wherever it lies between two blocks', async () => {
    for (let shift = -30; shift <= 30; shift += 1) {
      const rows = 'a,1\n'.repeat((65_536 * 2) / 4 - 10).slice(0, shift - 1);
      const content = `${rows}\n1,=${LINK}\n2,b\n`;
      const line = content.slice(0, content.indexOf('=')).split('\n').length;
      expect([shift, await judged(content, 16_384)]).toEqual([shift, `csv-dde line ${line}`]);
    }
  });

  it.each(['^', ':', ' ', 'x', ']', '-', '\\'])(
    'is refused after the delimiter that the file declares: %j',
    async (delimiter) => {
      for (const declaration of [`sep=${delimiter}`, `\u{FEFF}SEP=${delimiter}`, `"sep=${delimiter}"`])
        for (const chunkBytes of [1, 7, 1_000])
          expect([
            declaration,
            await judged(`${declaration}\r\n-a b${delimiter}=cmd|calc!A0\r\n`, chunkBytes),
          ]).toEqual([declaration, 'csv-dde line 2']);
    },
  );

  it.each([
    '"a,"\n-b c,=cmd|calc!A0',
    '"a\n",-b c,"=cmd|calc!A0"',
    '"a,""b,"\n"-c"" d,",@cmd|calc!A0',
    '-a b(c,=cmd|calc!A0',
    '-a b,-cmd|calc!A0',
    '=1,"=cmd\n|calc!A0"',
    '=A1,cmd|calc!A0',
    "-5,cmd|'/C calc'!A0",
    '"- A1+DDE(A1;B1;C1)",1',
    '=A1&"|"&cmd|calc!A0',
    `-A1&"|"&${LINK}`,
    '=cmd | calc ! A0',
    `=1-${'1 +'.padEnd(295, '1+')}+cmd|calc!A0`,
  ])('is refused whichever signs are delimiters, quotes and line ends: %s', async (content) => {
    for (const delimiter of [',', ';', '\t', '|'])
      for (const lineEnd of ['\n', '\r\n', '\r'])
        for (const before of ['', '\u{FEFF}', 'a,b;c\n', '"a"\td|e\n']) {
          const written = before + content.replaceAll(',', delimiter).replaceAll('\n', lineEnd);
          expect([written, await judged(written)]).toEqual([written, expect.stringMatching(/^csv-dde/)]);
        }
  });

  it('is refused with the encoding if that is UTF-16', async () => {
    const text = Buffer.from(`\u{FEFF}=${LINK}\n`, 'utf16le');
    for (const bytes of [text, Buffer.from(text).swap16()]) expect(await judged(bytes)).toBe('csv-encoding');
  });

  it('is refused behind a comma that is not the declared delimiter', async () => {
    expect(await judged(`sep=^\n=A1,${LINK}\n`)).toBe('csv-dde line 2');
  });

  it('is refused with a topic as long as a formula may be', async () => {
    const topic = `/C calc${' '.repeat(8_000)}`;
    for (const quoted of [`'${topic}'`, `"${topic}"`])
      expect(await judged(`a\n=cmd|${quoted}!A0\n`, 5_000)).toBe('csv-dde line 2');
  });

  it('is refused behind a long formula', async () => {
    const long = `=${'1+'.repeat(4_000)}${LINK}`;
    for (const before of ['', 'a,1\n'.repeat(16_000), 'a,1\n'.repeat(15_000)])
      expect(await judged(`${before}${long}`, 10_000)).toMatch(/^csv-dde/);
  });

  it.each([
    '=SUM(A1:A3)',
    '-12.50',
    '+44 161 555 0100',
    '@handle',
    '=A1&"|"&B1',
    "see =cmd|' /C calc'!A0 in the guide",
    "cmd|' /C calc'!A0",
    '-Transfer | thanks! Bob',
    '- Rent | May',
    '-12.50|YAHOO!INC',
    '-12.50 GBP|YAHOO!INC',
    "-5|'s-Hertogenbosch|x",
    '=HYPERLINK("https://bank.example.test/")',
    '=WEBSERVICE("https://bank.example.test/")',
    '-',
    '=',
    '=ADDED("x")',
    '-12.50,PAYPAL|EBAY!UK',
    '+441615550100;PAYPAL|EBAY!UK',
    '-12.50|GBP|YAHOO!INC',
    '"a,"\n-5,GBP|YAHOO!INC',
    '-12.50,Direct debit DDE (ref)',
  ])('is not %j', async (cell) => {
    for (const [before, after] of [
      ['', ''],
      ['a,b\n1,', ',2\n'],
      ['a;b\n1;', ';2\n'],
      ['a|b\n1|', '|2\n'],
    ])
      expect([before, await judged(`${before}${cell}${after}`)]).toEqual([before, 'clean']);
  });

  it.each([
    [',=('],
    ["|'x'!"],
    [',"='],
    [',=a|'],
    [`,="a|'`],
    ['='],
    ["|'"],
    ['=((((('],
    ["-a|''"],
    ["=a|'''"],
    ['=a |"'],
    ['=a  |'],
  ])('is searched for in time linear in the size of the input: %j', async (part) => {
    const content = part.repeat(1_000_000 / part.length);
    const from = Date.now();
    await judged(content, 65_536);
    expect(Date.now() - from).toBeLessThan(30_000);
  });
});
