import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, pngWith, SAMPLE_FILES, samplePdf } from '../../testing/sample-files.ts';
import { textPart, xlsx } from '../../testing/zip-writer.ts';
import { CONTENT_TYPES } from '../model/content-types.ts';
import { type ContentFault, ContentUnchecked, startContentProcess } from './index.ts';

jest.setTimeout(60_000);

const REFUSING = { refusePdfActions: true };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'content-programs-'));
  // The program runs as another user.
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function matches(...given: Parameters<typeof faultOf>): Promise<boolean> {
  return (await faultOf(...given)) === undefined;
}

async function faultOf(
  type: string,
  bytes: Uint8Array,
  {
    policy = REFUSING,
    silentMs = 60_000,
    text,
  }: { policy?: typeof REFUSING; silentMs?: number; text?: string } = {},
): Promise<ContentFault | undefined> {
  const path = join(folder, 'program.mjs');
  if (text !== undefined) writeFileSync(path, text);
  const options = { bounds: { silentMs }, ...(text === undefined ? {} : { program: path }) };
  const check = startContentProcess(type, policy, options);
  try {
    for (let at = 0; at < bytes.length; at += 65_536) await check.take(bytes.subarray(at, at + 65_536));
    expect(check.size()).toBe(bytes.length);
    return await check.fault();
  } finally {
    check.close();
  }
}

/** A program that prints `clean` when the expression is true. */
const answering = (expression: string) =>
  `process.stdin.resume(); process.stdin.on('end', async () => process.stdout.write((${expression}) ? 'clean' : 'fault type-mismatch'));`;

describe('content check process', () => {
  it.each(CONTENT_TYPES)('recognises %s and rejects other content', async (type) => {
    expect(await matches(type, SAMPLE_FILES[type])).toBe(true);
    expect(await matches(type, Buffer.alloc(300_000, '\0'))).toBe(false);
  });

  it('reports the rule and the part', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const bytes = xlsx({ name: 'xl/media/run.exe', data: PROGRAM });
    expect(await faultOf(type, bytes)).toEqual({ rule: 'workbook-unknown-part', part: 'xl/media/*.exe' });
    expect(await faultOf('text/csv', Buffer.from('<html>'))).toEqual({ rule: 'csv-other-format' });
    const sheet = textPart('xl/worksheets/sheet1.xml', '<worksheet><f>WEBSERVICE(A1)</f></worksheet>');
    expect(await faultOf(type, xlsx(sheet))).toMatchObject({ rule: 'workbook-formula' });
  });

  it.each([
    ['an unknown rule', 'fault no-such-rule'],
    ['a property of every object as its rule', 'fault constructor'],
    ['a part with control characters', 'fault csv-dde a\\u0007b'],
    ['a part beyond ASCII', 'fault csv-dde J\\u00fcrgen'],
    ['a part over 60 characters', `fault csv-dde ${'x'.repeat(61)}`],
    ['a part over the longest answer', `fault csv-dde ${'x'.repeat(1_000)}`],
    ['two lines', 'clean\\nfault csv-dde'],
    ['an empty answer', ''],
  ])('accepts no answer with %s from a process that may be taken over', async (_what, text) => {
    const program = `process.stdin.resume(); process.stdin.on('end', () => process.stdout.write('${text}'));`;
    await expect(faultOf('text/csv', Buffer.from('a'), { text: program })).rejects.toBeInstanceOf(
      ContentUnchecked,
    );
  });

  it('checks the largest workbook within its memory', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const row = (at: number) => `<row r="${at}"><c r="A${at}"><v>${(at * 7919) % 10007}</v></c></row>`;
    const rows = Array.from({ length: 300_000 }, (_, at) => row(at)).join('');
    const picture = { name: 'xl/media/image1.png', data: pngWith('eXIf', randomBytes(20 * 1024 * 1024)) };
    const sheet = textPart(
      'xl/worksheets/sheet1.xml',
      `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    );
    expect(await faultOf(type, xlsx(picture, sheet))).toBeUndefined();
  });

  it("applies the operator's policy", async () => {
    const active = samplePdf(Buffer.from('<< /S /JavaScript /JS (x) >>'));
    expect(await matches('application/pdf', active)).toBe(false);
    expect(await matches('application/pdf', active, { policy: { refusePdfActions: false } })).toBe(true);
  });

  it.each([
    ["has none of the service's environment variables", 'Object.keys(process.env).length === 0'],
    [
      'cannot read files except its code',
      `await import('node:fs').then(({ readFileSync }) => readFileSync('/etc/hostname')).then(() => false, ({ code }) => code === 'ERR_ACCESS_DENIED')`,
    ],
    [
      'cannot write files',
      `await import('node:fs').then(({ writeFileSync }) => writeFileSync('/tmp/x', '')).then(() => false, ({ code }) => code === 'ERR_ACCESS_DENIED')`,
    ],
    [
      'cannot start programs',
      `await import('node:child_process').then(({ execFileSync }) => execFileSync('true')).then(() => false, ({ code }) => code === 'ERR_ACCESS_DENIED')`,
    ],
    [
      'has a heap of less than half a gibibyte',
      `await import('node:v8').then(({ getHeapStatistics }) => getHeapStatistics().heap_size_limit < 512 * 2 ** 20)`,
    ],
  ])('%s', async (_what, expression) => {
    expect(await matches('text/csv', Buffer.from('a'), { text: answering(expression) })).toBe(true);
  });

  it.each([
    ['ends before it responds', 'process.exit(3)', 60_000],
    ['crashes', 'process.abort()', 60_000],
    ['sends an invalid response', answering('process.stdout.write("x")'), 60_000],
    ['never reads', 'setInterval(() => {}, 1000)', 300],
    ['never responds', 'process.stdin.resume(); setInterval(() => {}, 1000)', 300],
    ['loops forever', 'for (;;) {}', 300],
    ['uses all its memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(1.5))', 60_000],
  ])('rejects within a bounded time when the process %s', async (_what, text, silentMs) => {
    const checking = matches('text/csv', Buffer.alloc(1_000_000), { text, silentMs });
    await expect(checking).rejects.toBeInstanceOf(ContentUnchecked);
  });
});
