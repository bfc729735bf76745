import { randomUUID } from 'node:crypto';
import { sharedCounter } from '@supplier/lib/metrics';
import { continueTrace, runInContext } from '@supplier/lib/request-context';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { wakeable } from '@supplier/lib/wakeable';
import { type ClaimedScan, claimScans } from '../db/claim-scans.ts';
import { releaseScan } from '../db/release-scan.ts';
import { scanBackoffMs } from '../domain/scan-backoff.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { type ScannedDocument, type ScanParts, scanDocument } from './scan-document.ts';
import { ScannerUnavailable } from './scanner.ts';
import type { SignatureGate } from './signature-gate.ts';
import { trouble } from './trouble.ts';

export interface ScanBounds {
  /** Scans side by side. */
  readonly scans: number;
  /** How long a claimed scan is nobody else's; longer than a scan may take. */
  readonly leaseMs: number;
  /** How long a scan may take, the waiting for the store included. */
  readonly scanMs: number;
  /** The rest between two looks for what is due. */
  readonly pollMs: number;
}

export const SCAN_BOUNDS: ScanBounds = { scans: 2, leaseMs: 600_000, scanMs: 480_000, pollMs: 1_000 };

export interface ScanWorker {
  /** Says that something may be due now. */
  wake(): void;
}

/**
 * Scans what is due until the process stops; then scans under way are given back. A poll finds what nobody was woken for
 * and what was lost with another scanner. What comes to nothing is tried again with a growing back-off, for ever: without
 * an answer nothing is called clean, and nothing is given up. Implements docs/contract.md, section 2.
 */
export function startScanWorker(
  process: ServiceProcess,
  parts: ScanParts & { readonly gate: SignatureGate },
  bounds: ScanBounds = SCAN_BOUNDS,
): ScanWorker {
  const { db, clock, gate } = parts;
  const { log, stopping } = process;
  const sleeper = wakeable(stopping);
  const underWay = new Set<Promise<void>>();
  const scans = sharedCounter(process.metrics, {
    name: 'sss_scans_total',
    help: 'Scans of documents, by what they came to.',
    labelNames: ['outcome'] as const,
  });
  const database = trouble(log, {
    begins: 'documents to scan cannot be looked for',
    ends: 'documents to scan are looked for again',
  });
  const store = trouble(log, {
    begins: 'documents wait for the store',
    ends: 'the store gives and takes documents again',
  });
  const done = run();
  process.onStop('scans', async () => {
    sleeper.wake();
    await done;
    await Promise.all(underWay);
  });

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      await claim();
      await sleeper.sleep(bounds.pollMs);
    }
  }

  /** Claims as many as may be scanned side by side; whichever ends first has this look again. */
  async function claim(): Promise<void> {
    const limit = bounds.scans - underWay.size;
    const environments = await gate.admitted();
    if (limit === 0 || environments.length === 0) return;
    try {
      const now = clock.now();
      const leaseUntil = new Date(now.getTime() + bounds.leaseMs);
      const claimed = await claimScans(db, { environments, limit, now, leaseUntil });
      database.over();
      for (const scan of claimed) start(scan);
    } catch (err) {
      database.met({ err, reason: 'the database does not answer' });
    }
  }

  function start(scan: ClaimedScan): void {
    const context = { requestId: randomUUID(), traceParent: continueTrace(undefined) };
    const running = runInContext(context, () => scanToEnd(scan)).finally(() => {
      underWay.delete(running);
      sleeper.wake();
    });
    underWay.add(running);
  }

  async function scanToEnd(scan: ClaimedScan): Promise<void> {
    const began = performance.now();
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(bounds.scanMs)]);
    try {
      const scanned = await scanDocument(parts, scan, signal);
      store.over();
      tell(scan, scanned, performance.now() - began);
    } catch (err) {
      await giveBack(scan, err);
    }
  }

  function tell({ submissionId, attempt }: ClaimedScan, { result, recorded }: ScannedDocument, ms: number) {
    const outcome = recorded ? result.status : 'too_late';
    scans.inc({ outcome });
    const reason = result.status === 'scan_failed' ? result.reason : undefined;
    const fields = { submission_id: submissionId, attempt, outcome, reason, duration_ms: Math.round(ms) };
    log.info(fields, recorded ? 'a document was scanned' : 'a scan came too late to count');
  }

  async function giveBack(scan: ClaimedScan, err: unknown): Promise<void> {
    scans.inc({ outcome: 'no_result' });
    const interrupted = stopping.aborted;
    if (!interrupted) explain(scan, err);
    const delayMs = interrupted ? 0 : scanBackoffMs(scan.attempt);
    try {
      await releaseScan(db, scan, new Date(clock.now().getTime() + delayMs));
    } catch (cause) {
      // Its lease ends by itself.
      log.warn({ err: cause, submission_id: scan.submissionId }, 'a scan could not be given back');
    }
  }

  function explain({ submissionId, attempt }: ClaimedScan, err: unknown): void {
    if (err instanceof ScannerUnavailable) gate.failed(err);
    else if (err instanceof StoreUnavailable) store.met({ err, reason: 'the store is away' });
    else log.error({ err, submission_id: submissionId, attempt }, 'a scan broke off; trying again');
  }

  return { wake: sleeper.wake };
}
