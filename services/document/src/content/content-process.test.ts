import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, pngWith, samplePdf } from '../../testing/sample-files.ts';
import { textPart, xlsx } from '../../testing/zip-writer.ts';
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

/** What a program reports if it can be done, by name. Each expression is true if it cannot. */
const DENIED = {
  environment: 'Object.keys(process.env).length === 0',
  reading: `await denied(() => import('node:fs').then(({ readFileSync }) => readFileSync('/etc/hostname')))`,
  writing: `await denied(() => import('node:fs').then(({ writeFileSync }) => writeFileSync('/tmp/x', '')))`,
  programs: `await denied(() => import('node:child_process').then(({ execFileSync }) => execFileSync('true')))`,
  memory: `(await import('node:v8')).getHeapStatistics().heap_size_limit < 512 * 2 ** 20`,
};
const ATTEMPTS = `
  const denied = (work) => work().then(() => false, ({ code }) => code === 'ERR_ACCESS_DENIED');
  process.stdin.resume().on('end', async () => {
    const results = { ${Object.entries(DENIED).map(([name, expression]) => `${name}: ${expression}`)} };
    const done = Object.keys(results).filter((name) => !results[name]);
    process.stdout.write(done.length === 0 ? 'clean' : 'fault type-mismatch ' + done.join(' '));
  });`;

describe('content check process', () => {
  it('reports the rule and the part', async () => {
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const bytes = xlsx({ name: 'xl/media/run.exe', data: PROGRAM });
    expect(await faultOf(type, bytes)).toEqual({ rule: 'workbook-unknown-part', part: 'xl/media/*.exe' });
    expect(await faultOf('text/csv', Buffer.from('<html>'))).toEqual({ rule: 'csv-other-format' });
    const sheet = textPart('xl/worksheets/sheet1.xml', '<worksheet><f>WEBSERVICE(A1)</f></worksheet>');
    expect(await faultOf(type, xlsx(sheet))).toMatchObject({ rule: 'workbook-formula' });
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

  it("has neither the service's environment, files and programs, nor half a gibibyte of heap", async () => {
    expect(await faultOf('text/csv', Buffer.from('a'), { text: ATTEMPTS })).toBeUndefined();
  });

  it.each([
    ['ends before it responds', 'process.exit(3)', 60_000],
    ['crashes', 'process.abort()', 60_000],
    [
      'sends an invalid response',
      "process.stdin.resume().on('end', () => process.stdout.write('x'))",
      60_000,
    ],
    ['never reads', 'setInterval(() => {}, 1000)', 300],
    ['never responds', 'process.stdin.resume(); setInterval(() => {}, 1000)', 300],
    ['loops forever', 'for (;;) {}', 300],
  ])('rejects within a bounded time when the process %s', async (_what, text, silentMs) => {
    const checking = matches('text/csv', Buffer.alloc(1_000_000), { text, silentMs });
    await expect(checking).rejects.toBeInstanceOf(ContentUnchecked);
  });
});
