import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@supplier/lib/testing';
import { samplePdf } from '../../testing/sample-files.ts';
import {
  CLEAN,
  documentOf,
  type PlayedScanner,
  playedScanner,
  scanned,
  startTestScanner,
  type TestScanner,
  waitingDocument,
} from '../../testing/test-scan-worker.ts';
import { serviceForTests, type TestService } from '../../testing/test-service.ts';
import { ContentUnchecked, startContentProcess } from '../content/index.ts';
import { MAX_SCAN_TRIES } from '../model/scan-result.ts';
import { ScannerLost } from './malware-scanner.ts';
import { type ClaimRequest, claimScan, releaseScan } from './scan-queue.sql.ts';

jest.setTimeout(120_000);

const POLICY = { refusePdfActions: true };
const KILLER = samplePdf(Buffer.from('the one that kills'));

const service = serviceForTests();
let scanner: PlayedScanner;
let running: TestScanner[] = [];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'content-sockets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  scanner = playedScanner(service);
});
afterEach(async () => {
  await Promise.all(running.map((process) => process.stop()));
  running = [];
});

function start(options: Parameters<typeof startTestScanner>[2] = {}): TestScanner {
  const process = startTestScanner(service, scanner, options);
  running.push(process);
  return process;
}

/** Fails scans of a document, one back-off after another, until `enough` returns true. */
async function untilTried(id: string, enough: (document: Awaited<ReturnType<typeof documentOf>>) => boolean) {
  for (let last = 0; ; ) {
    const document = await eventually('a scan of it came to nothing', async () => {
      const now = await documentOf(service, id);
      return now.scanAttempt > last && now.scanLeaseUntil === null ? now : undefined;
    });
    if (enough(document)) return document;
    last = document.scanAttempt;
    await service.pass(60_000);
  }
}

/** Checks content in a process that crashes for every type except `others`. */
const crashing = (others?: string) => (type: string) => ({
  take: async () => {},
  fault: async () => {
    if (type !== others) throw new ContentUnchecked('process ended with SIGABRT');
    return undefined;
  },
  size: () => 0,
  close() {},
});

describe('document that crashes the scanner each time', () => {
  beforeEach(() => {
    scanner.verdict = (bytes) => {
      if (bytes.equals(KILLER)) throw new ScannerLost('connection lost');
      return CLEAN;
    };
  });

  it('is tried five times and then parked while others are scanned; staff can see and release it', async () => {
    const id = await waitingDocument(service, { bytes: KILLER });
    const process = start();
    const parked = await untilTried(id, ({ scanParkedAt }) => scanParkedAt !== null);
    expect(parked).toMatchObject({
      scanStatus: 'pending_scan',
      scanAttempt: MAX_SCAN_TRIES,
      scanDueAt: null,
    });
    // The line is written after the commit.
    const logged = await eventually('the log says so', () =>
      process.lines.find(({ msg }) => msg === 'document parked'),
    );
    expect(logged.submission_id).toBe(parked.submissionId);
    await service.pass(3_600_000);
    expect((await scanned(service, await waitingDocument(service))).scanStatus).toBe('clean');
    expect((await documentOf(service, id)).scanAttempt).toBe(MAX_SCAN_TRIES);

    const { documents } = await service
      .staff()
      .listDocuments({ purpose: 'read by a test', submissionId: parked.submissionId ?? '' });
    expect(documents[0]?.scanParkedAt).toBeDefined();
    scanner.verdict = () => CLEAN;
    const released = await service.staff().rescanDocument({ documentId: id });
    expect(released.scanParkedAt).toBeUndefined();
    expect(await scanned(service, id)).toMatchObject({
      scanStatus: 'clean',
      scanTries: 0,
      scanParkedAt: null,
    });
  });

  it('is not tried at the same time as another suspect', async () => {
    const ids = [
      await waitingDocument(service, { bytes: KILLER }),
      await waitingDocument(service, { bytes: KILLER }),
    ];
    const process = start();
    // A claim is not a try: a first scan still in progress would count as the one awaited below.
    for (const id of ids)
      await eventually('a try of each has ended', async () => {
        const { scanTries, scanLeaseUntil } = await documentOf(service, id);
        return scanTries > 0 && scanLeaseUntil === null;
      });
    const hold = Promise.withResolvers<void>();
    scanner.verdict = () => hold.promise.then(() => CLEAN);
    const before = scanner.scans;
    await service.pass(60_000);
    await eventually('one of them is tried again', () => scanner.scans === before + 1);
    await process.polled();
    expect(scanner.scans).toBe(before + 1);
    hold.resolve();
    for (const id of ids) expect((await scanned(service, id)).scanStatus).toBe('clean');
  });
});

it('documents that lost a scanner are tried one at a time across concurrent scanners', async () => {
  const claim = () =>
    claimScan(service.pool, {
      environments: ['production'],
      after: undefined,
      except: [],
      leaseMs: 600_000,
    });
  const askedAtOnce = async () => {
    const claims = await Promise.all(Array.from({ length: 8 }, claim));
    return claims.filter((scan) => scan !== undefined);
  };
  const suspects = new Set<string>();
  for (let count = 0; count < 5; count += 1) suspects.add(await waitingDocument(service));
  const [crashed, ...released] = await askedAtOnce();
  expect(new Set([crashed, ...released].map((scan) => scan?.documentId))).toEqual(suspects);
  await service.pass(600_000);
  for (const scan of released) await releaseScan(service.pool, scan, { blame: 'document', delayMs: 0 });

  const others = [await waitingDocument(service), await waitingDocument(service)];
  const claimed = (await askedAtOnce()).map(({ documentId }) => documentId);
  expect(claimed).toHaveLength(3);
  expect(claimed).toEqual(expect.arrayContaining(others));
  expect(claimed.filter((id) => suspects.has(id))).toHaveLength(1);
  expect(await askedAtOnce()).toEqual([]);
  // Their scanners are lost too, so all are suspects now.
  await service.pass(600_000);
  expect(await askedAtOnce()).toHaveLength(1);
});

it('a document that loses the scanner process five times, with outages in between, is parked without another try', async () => {
  const id = await waitingDocument(service);
  for (let attempt = 1; attempt <= MAX_SCAN_TRIES; attempt += 1) {
    const request = { environments: ['production'], after: undefined, except: [], leaseMs: 600_000 } as const;
    const interrupted = await claimScan(service.pool, request);
    if (!interrupted) throw new Error('nothing to claim');
    await releaseScan(service.pool, interrupted, { blame: 'elsewhere', delayMs: 0 });
    expect(await claimScan(service.pool, request)).toMatchObject({ documentId: id, attempt: 2 * attempt });
    await service.pass(600_000);
  }
  const process = start();
  await eventually('it is parked', async () => (await documentOf(service, id)).scanParkedAt !== null);
  expect(scanner.scans).toBe(0);
  await eventually('the log says so', () => process.lines.some(({ msg }) => msg === 'document parked'));
});

describe('document that crashes the content check process', () => {
  it('is parked after five tries', async () => {
    const id = await waitingDocument(service);
    start({ inspect: crashing('text/csv') });
    const parked = await untilTried(id, ({ scanParkedAt }) => scanParkedAt !== null);
    expect(parked).toMatchObject({ scanStatus: 'pending_scan', scanAttempt: MAX_SCAN_TRIES });
  });

  it('is not blamed when the process crashes for every document', async () => {
    const id = await waitingDocument(service);
    start({ inspect: crashing() });
    const tried = await untilTried(id, ({ scanAttempt }) => scanAttempt > MAX_SCAN_TRIES);
    expect(tried).toMatchObject({ scanTries: 0, scanParkedAt: null });
  });
});

describe('a server of content checks', () => {
  let path: string;
  let lose: (count: number) => boolean;
  let server: Server;

  beforeEach(async () => {
    path = join(folder, `${crypto.randomUUID()}.sock`);
    let count = 0;
    server = createServer({ allowHalfOpen: true }, (connection) => {
      connection.on('error', () => {});
      connection.write('started\n');
      count += 1;
      const isLost = lose(count);
      connection.resume().once('end', () => {
        if (isLost) connection.destroy();
        else connection.end('answered "clean"\n');
      });
    });
    await once(server.listen(path), 'listening');
  });
  afterEach(() => server.close());
  const inspect = (type: string) => startContentProcess(type, POLICY, { socket: path });

  it('that restarts costs a retry and no try', async () => {
    lose = (count) => count === 1;
    const id = await waitingDocument(service);
    start({ inspect });
    const lost = await untilTried(id, () => true);
    expect(lost).toMatchObject({ scanStatus: 'pending_scan', scanAttempt: 1, scanTries: 0 });
    await service.pass(60_000);
    expect((await scanned(service, id)).scanStatus).toBe('clean');
  });

  it('that a document ends each time does so six times, and then the document is parked', async () => {
    lose = () => true;
    const id = await waitingDocument(service);
    start({ inspect });
    const parked = await untilTried(id, ({ scanParkedAt }) => scanParkedAt !== null);
    expect(parked).toMatchObject({ scanStatus: 'pending_scan', scanAttempt: MAX_SCAN_TRIES + 1 });
  });

  it('that is away costs no try, however often', async () => {
    server.close();
    const id = await waitingDocument(service);
    start({ inspect });
    const tried = await untilTried(id, ({ scanAttempt }) => scanAttempt > MAX_SCAN_TRIES + 1);
    expect(tried).toMatchObject({ scanTries: 0, scanParkedAt: null });
  });
});

describe('account turns', () => {
  it('do not let 1,000 documents of two accounts delay a document of a third', async () => {
    for (const _ of [1, 2]) await with500Documents(service.supplier());
    const theirs = await waitingDocument(service);
    start();
    expect((await scanned(service, theirs)).scanStatus).toBe('clean');
    const left = await service.db.document.count({ where: { scanStatus: 'pending_scan' } });
    expect(left).toBeGreaterThan(500);
  });

  async function with500Documents(supplier: ReturnType<TestService['supplier']>): Promise<void> {
    const first = await waitingDocument(service, { supplier });
    await service.pool.query(
      `INSERT INTO document (id, account_id, environment, external_reference, category, filename,
         content_type, byte_size, object_key, state, scan_status, created_at, finalized_at,
         submission_id, upload_expires_at, held_key, etag, area, scan_due_at)
       SELECT gen_random_uuid(), account_id, environment, external_reference, category, filename,
         content_type, byte_size, encode(sha256((id || 'o' || n)::bytea), 'hex'), state, scan_status,
         created_at, finalized_at, submission_id, upload_expires_at,
         encode(sha256((id || 'h' || n)::bytea), 'hex'), etag, area, scan_due_at - interval '1 hour'
         FROM document, generate_series(1, 500) AS n WHERE id = $1`,
      [first],
    );
  }

  it('pass over an account that has used its share, even when its scanner was lost', async () => {
    await waitingDocument(service);
    const claim = (except: ClaimRequest['except'] = []) =>
      claimScan(service.pool, { environments: ['production'], after: undefined, except, leaseMs: 600_000 });
    const lost = await claim();
    if (!lost) throw new Error('nothing to claim');
    await service.pass(600_000);
    const documentId = await waitingDocument(service);
    expect(await claim([lost.accountId])).toMatchObject({ documentId });
    expect(await claim([lost.accountId])).toBeUndefined();
  });

  it('reserve one scan for other accounts, even if one account has many documents', async () => {
    const hold = Promise.withResolvers<void>();
    const slow = samplePdf(Buffer.from('slow'));
    scanner.verdict = (bytes) => (bytes.equals(slow) ? hold.promise.then(() => CLEAN) : CLEAN);
    const one = service.supplier();
    const held = [
      await waitingDocument(service, { supplier: one, bytes: slow }),
      await waitingDocument(service, { supplier: one, bytes: slow }),
    ];
    start();
    await eventually('one is being scanned', () => scanner.scans === 1);
    expect((await scanned(service, await waitingDocument(service))).scanStatus).toBe('clean');
    hold.resolve();
    for (const id of held) expect((await scanned(service, id)).scanStatus).toBe('clean');
  });
});
