import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ClamdProcess, describeWithClamd, startClamd } from '../../../testing/clamd-process.ts';
import { EICAR, EICAR_NAME } from '../../../testing/eicar.ts';
import { PROGRAM, SAMPLE_FILES, samplePdf } from '../../../testing/sample-files.ts';
import { xlsx, zip } from '../../../testing/zip-writer.ts';
import { startContentProcess } from '../../content/index.ts';
import { CONTENT_TYPES } from '../../model/content-types.ts';
import type { ObjectStore } from '../../object-store/object-store.ts';
import { scanObject } from '../scan-document.ts';
import { CLAMD_BOUNDS, clamdScanner } from './clamd-scanner.ts';

const MIB = 1024 * 1024;
const SCAN_MEMORY = fileURLToPath(new URL('../../../testing/scan-memory.ts', import.meta.url));
const PDF = 'application/pdf';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const eicar = Buffer.from(EICAR);
const infected = { status: 'infected', signature: `${EICAR_NAME}.UNOFFICIAL` };
const failed = (reason: string) => ({ status: 'scan_failed', reason });
const entry = (name: string, data: Uint8Array, password?: string) =>
  password === undefined ? { name, data } : { name, data, password };

describeWithClamd('a real clamd', () => {
  let clamd: ClamdProcess;
  beforeAll(async () => {
    clamd = await startClamd();
  });
  afterAll(() => clamd?.stop());

  /** Returns the scan result of an object with that type and content. */
  function scan(contentType: string, bytes: Buffer) {
    const store: Pick<ObjectStore, 'read'> = { read: async () => Readable.from(chunksOf(bytes)) };
    const object = { area: 'held', key: 'key', etag: 'etag' } as const;
    const inspect = (type: string) => startContentProcess(type, { refusePdfActions: true });
    return scanObject(
      { store: store as ObjectStore, scanner: clamdScanner(clamd.address), inspect },
      { object, contentType, byteSize: bytes.length },
      new AbortController().signal,
    );
  }

  it.each(CONTENT_TYPES)('accepts a small %s', async (type) => {
    expect(await scan(type, SAMPLE_FILES[type])).toEqual({ status: 'clean' });
  });

  it.each([
    ['plain', 'text/csv', eicar],
    ['in a PDF', PDF, samplePdf(eicar)],
    ['after a picture', 'image/png', Buffer.concat([SAMPLE_FILES['image/png'], eicar])],
    ['in a workbook', XLSX, xlsx(entry('xl/media/image1.png', eicar))],
    ['zipped', XLSX, zip(entry('a.txt', eicar))],
    ['zipped in a zip in a zip', XLSX, zip(entry('c.zip', zip(entry('b.zip', zip(entry('a.txt', eicar))))))],
    ['in content of a different type', PDF, eicar],
  ])('finds the EICAR test file %s', async (_how, type, bytes) => {
    expect(await scan(type, bytes)).toEqual(infected);
  });

  it('finds the EICAR test file in the last bytes of 25 MiB', async () => {
    const bytes = Buffer.alloc(25 * MIB, 'date;amount\n');
    eicar.copy(bytes, bytes.length - eicar.length);
    expect(await scan('text/csv', bytes)).toEqual(infected);
  });

  it('finds the EICAR test file at the end of a large file in an archive', async () => {
    const large = Buffer.concat([Buffer.alloc(100 * MIB, '<c>1</c>'), eicar]);
    expect(await scan(XLSX, xlsx(entry('xl/worksheets/sheet1.xml', large)))).toEqual(infected);
  });

  it.each([
    ['archive', zip(entry('a.txt', eicar, 'secret'))],
    ['workbook with one locked part', xlsx(entry('xl/locked.xml', Buffer.from('x'), 'secret'))],
  ])('rejects a locked %s', async (_what, bytes) => {
    expect(await scan(XLSX, bytes)).toEqual(failed('encrypted'));
  });

  it('rejects an archive bomb in less than a minute', async () => {
    const began = performance.now();
    const bomb = zip(entry('bomb', Buffer.alloc(300 * MIB)));
    expect(await scan(XLSX, bomb)).toEqual(failed('limits_exceeded'));
    expect(await scan(XLSX, xlsx(entry('xl/media/a.zip', bomb)))).toEqual(failed('limits_exceeded'));
    expect(performance.now() - began).toBeLessThan(60_000);
  }, 90_000);

  it('rejects an archive nested deeper than clamd scans', async () => {
    let nested = zip(entry('innermost', eicar));
    for (let depth = 0; depth < 40; depth += 1) nested = zip(entry('next.zip', nested));
    expect(await scan(XLSX, xlsx(entry('xl/media/a.zip', nested)))).toEqual(failed('limits_exceeded'));
  });

  it('rejects a stream over its limit', async () => {
    expect(await scan('text/csv', Buffer.alloc(33 * MIB, 'a\n'))).toEqual(failed('limits_exceeded'));
  });

  it.each([
    ['a program as a PDF', PDF, PROGRAM],
    ['a PDF that is also an archive', PDF, samplePdf(zip(entry('a.txt', Buffer.from('a'))))],
    ['an archive as a workbook', XLSX, zip(entry('a.txt', Buffer.from('a')))],
    ['HTML as a table', 'text/csv', Buffer.from('<html><body>1,2</body></html>')],
    ['a JPEG as a PNG', 'image/png', SAMPLE_FILES['image/jpeg']],
  ])('does not reject %s, which is the task of the content check', async (_what, type, bytes) => {
    expect(await scan(type, bytes)).toMatchObject(failed('content_mismatch'));
  });

  it('reports no official signatures in the test environment', async () => {
    expect(await clamdScanner(clamd.address).signatures()).toEqual({ official: undefined });
  });

  it('is accepted when it scans all of the largest document, and more in archives', async () => {
    const scanner = clamdScanner(clamd.address, CLAMD_BOUNDS, { largestBytes: 25 * MIB });
    await expect(scanner.signatures()).resolves.toEqual({ official: undefined });
  });

  it.each([
    ['StreamMaxLength', { StreamMaxLength: '24M' }, 'does not scan all of'],
    ['MaxFileSize', { MaxFileSize: '20M' }, 'does not scan all of'],
    ['MaxFileSize that is less than MaxScanSize', { MaxFileSize: '40M' }, 'silently skips large files'],
  ])(
    'is rejected with too small a %s',
    async (_what, settings, why) => {
      const small = await startClamd(settings);
      try {
        const scanner = clamdScanner(small.address, CLAMD_BOUNDS, { largestBytes: 25 * MIB });
        await expect(scanner.signatures()).rejects.toThrow(why);
      } finally {
        await small.stop();
      }
    },
    90_000,
  );

  it('scans 25 MiB with at most 40 MiB of additional memory', () => {
    const flags = ['--disable-warning=ExperimentalWarning', SCAN_MEMORY, clamd.address.path, '25'];
    const grown = execFileSync(process.execPath, flags, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(Number(grown)).toBeLessThanOrEqual(40 * MIB);
  });
});

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
