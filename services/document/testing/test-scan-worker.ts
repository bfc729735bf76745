import { buffer } from 'node:stream/consumers';
import { eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { type DocumentId, newId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { contentCheck } from '../src/content/content-check.ts';
import type { ContentType } from '../src/model/content-types.ts';
import type { SignaturePolicy, SignatureSet } from '../src/model/signatures.ts';
import type { ObjectStore } from '../src/object-store/object-store.ts';
import type { Scanner, ScanVerdict } from '../src/scan/malware-scanner.ts';
import { SCAN_BOUNDS, type ScanBounds, startScanWorker } from '../src/scan/scan-worker.ts';
import type { Context as ScannerContext } from '../src/scan/scanner-context.ts';
import { signatureGate } from '../src/scan/signature-gate.ts';
import type { Document } from '../src/store/generated/client.ts';
import { SAMPLE_FILES } from './sample-files.ts';
import type { TestService, TestSupplier } from './test-service.ts';

/** A fake scanner that reads every stream to its end and then returns the verdict set by the test. */
export interface PlayedScanner extends Scanner {
  verdict: (bytes: Buffer) => Promise<ScanVerdict> | ScanVerdict;
  signatureSet: () => SignatureSet;
  /** Number of streams read. */
  scans: number;
}

export const CLEAN: ScanVerdict = { kind: 'clean' };
export const INFECTED: ScanVerdict = { kind: 'infected', signature: 'Played' };

export function playedScanner(service: TestService): PlayedScanner {
  const scanner: PlayedScanner = {
    verdict: () => CLEAN,
    signatureSet: () => ({ official: { version: 1, publishedAt: service.clock.now() } }),
    scans: 0,
    async scan(bytes, signal) {
      scanner.scans += 1;
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      stopped.catch(() => {});
      return Promise.race([stopped, scanner.verdict(await buffer(bytes))]);
    },
    signatures: async () => scanner.signatureSet(),
  };
  return scanner;
}

/** Makes the scanner withhold its verdict until `release` is called. */
export function holdScans(by: PlayedScanner, verdict = CLEAN) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  by.verdict = () => held.then(() => verdict);
  return { release };
}

/** A scan worker under test. */
export interface TestScanner extends TestProcess {
  /** Resolves after a complete poll of its queue that started after the call. */
  polled(): Promise<void>;
}

/** Runs the same checks without a process for each document: starting one takes longer than the rest of a scan. */
function inspectHere(contentType: string): ReturnType<ScannerContext['inspect']> {
  const check = contentCheck(contentType);
  return { ...check, take: async (chunk) => check.take(chunk), close() {} };
}

/**
 * Starts a scan worker with the service's database and store, which polls every 10 ms and by default checks content in
 * this process.
 */
export function startTestScanner(
  service: TestService,
  scanner: Scanner,
  options: {
    policy?: Partial<SignaturePolicy>;
    bounds?: Partial<ScanBounds>;
    store?: ObjectStore;
    inspect?: ScannerContext['inspect'];
    clock?: ScannerContext['clock'];
  } = {},
): TestScanner {
  const process = startTestProcess('scanner');
  const { pool, db } = service.context;
  const clock = options.clock ?? service.clock;
  const policy = { maxAgeDays: 7, anySignatures: false, ...options.policy };
  const elapsedMs = () => service.clock.now().getTime();
  const signatures = signatureGate({ scanner, policy, clock, log: process.log, elapsedMs });
  let polls = 0;
  const gate: typeof signatures = {
    ...signatures,
    admitted() {
      polls += 1;
      return signatures.admitted();
    },
  };
  const store = options.store ?? service.store;
  const bounds = { ...SCAN_BOUNDS, pollMs: 10, ...options.bounds };
  const inspect = options.inspect ?? inspectHere;
  startScanWorker(process, { pool, db, clock, log: process.log, store, scanner, inspect, gate }, bounds);
  return {
    ...process,
    async polled() {
      // One poll may be in progress; the next starts later, and has ended when another starts.
      const pollsBefore = polls;
      await eventually('the queue is polled', () => polls > pollsBefore + 1);
    },
  };
}

type Stored = Pick<Document, 'heldKey' | 'etag'>;

/**
 * Returns a scanner that is reset for each test of a file, and what starts scan workers, which stop after the test.
 */
export function scanTests(service: TestService) {
  const scanner = playedScanner(service);
  const { verdict, signatureSet } = scanner;
  let running: TestScanner[] = [];
  beforeEach(async () => {
    service.restoreStore();
    await service.db.objectRemoval.deleteMany();
    Object.assign(scanner, { verdict, signatureSet, scans: 0 });
  });
  afterEach(async () => {
    await Promise.all(running.map((process) => process.stop()));
    running = [];
    // Documents left waiting by one test must not be scanned in the next.
    await service.db.document.updateMany({
      where: { state: 'finalized', scanStatus: 'pending_scan' },
      data: { state: 'deleted', deletedAt: service.clock.now(), scanDueAt: null, scanLeaseUntil: null },
    });
  });
  return {
    scanner,
    start(options: Parameters<typeof startTestScanner>[2] = {}, by = scanner): TestScanner {
      const process = startTestScanner(service, by, options);
      running.push(process);
      return process;
    },
    bytesIn: async (area: 'held' | 'clean', { heldKey, etag }: Stored) =>
      buffer(await service.store.read(area, heldKey ?? '', etag ?? '')),
  };
}

export const keyOf = ({ heldKey }: Pick<Stored, 'heldKey'>) => heldKey ?? '';

/** Creates an uploaded and finalized document awaiting its scan. */
export async function waitingDocument(
  service: TestService,
  file: {
    bytes?: Uint8Array;
    type?: ContentType;
    environment?: Environment.SANDBOX | Environment.PRODUCTION;
    supplier?: TestSupplier;
  } = {},
): Promise<DocumentId> {
  const { type = 'application/pdf', bytes = SAMPLE_FILES[type], environment = Environment.PRODUCTION } = file;
  const supplier = file.supplier ?? service.supplier(environment);
  const externalReference = newId<string>();
  service.submit(supplier, externalReference);
  const announced = { externalReference, contentType: type, byteSize: BigInt(bytes.length) };
  const { documentId } = await supplier.createUpload(announced);
  await service.upload(documentId, { bytes, contentType: type });
  await supplier.finalizeUpload(externalReference, documentId);
  return documentId as DocumentId;
}

export function documentOf(service: TestService, id: string): Promise<Document> {
  return service.db.document.findUniqueOrThrow({ where: { id } });
}

/** Resolves to the document once it has a scan result. */
export function scanned(service: TestService, id: string): Promise<Document> {
  return eventually('the scan has a result', async () => {
    const document = await documentOf(service, id);
    return document.scanStatus === 'pending_scan' ? undefined : document;
  });
}

/** Returns the areas and keys of the scheduled removals, excluding uploads. */
export async function removalsOf(service: TestService): Promise<string[]> {
  const rows = await service.db.objectRemoval.findMany({ where: { area: { not: 'incoming' } } });
  return rows.map(({ area, objectKey }) => `${area} ${objectKey}`).sort();
}
