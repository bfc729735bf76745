import { randomUUID } from 'node:crypto';
import { retryDelayMs } from '@supplier/lib/data/queues';
import { gaugesOf, type Registry, sharedCounter } from '@supplier/lib/runtime/metrics';
import { runInContext } from '@supplier/lib/runtime/request-context';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { inSpan } from '@supplier/lib/runtime/tracing';
import { wakeable } from '@supplier/lib/runtime/wakeable';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Clock } from '@supplier/lib/text/time';
import type { Pool } from 'pg';
import { ContentLost, ContentUnchecked, canCheckContent } from '../content/index.ts';
import { SCAN_RETRY_DELAYS } from '../model/scan-result.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { failureLog } from './failure-log.ts';
import { ScannerLost, ScannerUnavailable } from './malware-scanner.ts';
import { type ScannedDocument, scanDocument } from './scan-document.ts';
import {
  type Blame,
  type ClaimedScan,
  claimScan,
  countWaitingScans,
  parkLostScans,
  releaseScan,
} from './scan-queue.sql.ts';
import type { Context } from './scanner-context.ts';

export interface ScanBounds {
  readonly concurrency: number;
  /** How long a claimed scan cannot be claimed by others; longer than a scan may take. */
  readonly leaseMs: number;
  /** Maximum duration of a scan, including reads from the store. */
  readonly scanMs: number;
  /** The interval between two polls of the queue. */
  readonly pollMs: number;
}

/** Scan outcomes, as counted in metrics. */
const OUTCOMES = ['clean', 'infected', 'scan_failed', 'too_late', 'no_result'] as const;

export const SCAN_BOUNDS: ScanBounds = { concurrency: 2, leaseMs: 600_000, scanMs: 480_000, pollMs: 1_000 };

export interface ScanWorker {
  /** Polls the queue now. */
  wake(): void;
}

/**
 * Scans queued documents until the process stops, which releases its active scans. Polling finds documents without a
 * wake-up or with a lost scanner. Accounts take turns, and none uses all concurrent scans. Scans without a result are
 * retried with increasing back-off, indefinitely while the scanner or the store is unavailable. A document that may be
 * the cause is tried five times, one such document at a time across all scanners, and then parked for staff. No
 * document becomes clean or failed without a verdict. Implements docs/contract.md, section 2.
 */
export function startScanWorker(
  process: ServiceProcess,
  context: Context,
  bounds: ScanBounds = SCAN_BOUNDS,
): ScanWorker {
  const { pool, log, gate, inspect } = context;
  const { stopping } = process;
  const sleeper = wakeable(stopping);
  const active = new Map<ClaimedScan, Promise<void>>();
  /** The account that had the last turn. */
  let after: AccountId | undefined;
  const scans = sharedCounter(process.metrics, {
    name: 'sss_scans_total',
    help: 'Document scans, by result.',
    labelNames: ['outcome'] as const,
  });
  for (const outcome of OUTCOMES) scans.inc({ outcome }, 0);
  const queue = failureLog(log, {
    failed: 'scan queue unavailable',
    recovered: 'scan queue available',
  });
  const store = failureLog(log, {
    failed: 'object store unavailable',
    recovered: 'object store available',
  });
  const done = run();
  process.onStop('scans', async () => {
    sleeper.wake();
    await done;
    await Promise.all(active.values());
  });

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      await claim();
      await sleeper.sleep(bounds.pollMs);
    }
  }

  /** Claims as many scans as may start now; the next scan to end triggers another claim. */
  async function claim(): Promise<void> {
    const environments = await gate.admitted();
    if (active.size === bounds.concurrency || environments.length === 0) return;
    try {
      for (const submissionId of await parkLostScans(pool)) reportParked(submissionId);
      while (active.size < bounds.concurrency) {
        const { leaseMs } = bounds;
        const scan = await claimScan(pool, { environments, after, except: satisfied(), leaseMs });
        if (!scan) break;
        after = scan.accountId;
        start(scan);
      }
      queue.recovered();
    } catch (err) {
      queue.failed({ err, reason: 'database unavailable' });
    }
  }

  /** Returns the accounts whose documents leave only one scan slot to others. */
  function satisfied(): AccountId[] {
    const share = Math.max(1, bounds.concurrency - 1);
    const accounts = [...active.keys()].map(({ accountId }) => accountId);
    return accounts.filter((id) => accounts.filter((other) => other === id).length >= share);
  }

  function start(scan: ClaimedScan): void {
    const requestContext = { requestId: randomUUID(), traceParent: '' };
    const attributes = { 'sss.submission.id': scan.submissionId, 'sss.attempt': scan.attempt };
    const running = runInContext(requestContext, () =>
      inSpan('scan document', { kind: 'internal', attributes }, () => scanToEnd(scan)),
    ).finally(() => {
      active.delete(scan);
      sleeper.wake();
    });
    active.set(scan, running);
  }

  async function scanToEnd(scan: ClaimedScan): Promise<void> {
    const began = performance.now();
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(bounds.scanMs)]);
    try {
      const scanned = await scanDocument(context, scan, signal);
      store.recovered();
      report(scan, scanned, performance.now() - began);
    } catch (err) {
      await release(scan, err);
    }
  }

  function report({ submissionId, attempt }: ClaimedScan, { result, recorded }: ScannedDocument, ms: number) {
    const outcome = recorded ? result.status : 'too_late';
    scans.inc({ outcome });
    const reason = result.status === 'scan_failed' ? result.reason : undefined;
    const fields = { submission_id: submissionId, attempt, outcome, reason, duration_ms: Math.round(ms) };
    log.info(fields, recorded ? 'document scanned' : 'scan result discarded');
  }

  async function release(scan: ClaimedScan, err: unknown): Promise<void> {
    scans.inc({ outcome: 'no_result' });
    const interrupted = stopping.aborted;
    if (!interrupted) logFailure(scan, err);
    const blame = interrupted ? 'elsewhere' : await blameOf(err, scan);
    const delayMs = interrupted ? 0 : retryDelayMs(SCAN_RETRY_DELAYS, scan.attempt);
    try {
      if (await releaseScan(pool, scan, { blame, delayMs })) reportParked(scan.submissionId);
    } catch (cause) {
      // The lease expires anyway, and then the scan can be claimed again.
      log.warn({ err: cause, submission_id: scan.submissionId }, 'release of a scan failed');
    }
  }

  /** Blames the document only when nothing else can be the cause. */
  async function blameOf(err: unknown, { attempt }: ClaimedScan): Promise<Blame> {
    if (err instanceof ScannerLost || isTimeout(err)) return 'document';
    // The first time, it may have restarted because of another document.
    if (err instanceof ContentLost) return attempt > 1 ? 'document' : 'elsewhere';
    if (err instanceof ContentUnchecked) return (await canCheckContent(inspect)) ? 'document' : 'elsewhere';
    return 'elsewhere';
  }

  function reportParked(submissionId: ClaimedScan['submissionId']): void {
    log.error({ submission_id: submissionId }, 'document parked');
  }

  function logFailure({ submissionId, attempt }: ClaimedScan, err: unknown): void {
    if (err instanceof ScannerUnavailable) gate.scannerFailed(err);
    else if (err instanceof StoreUnavailable) store.failed({ err, reason: 'object store unavailable' });
    else log.error({ err, submission_id: submissionId, attempt }, 'scan failed');
  }

  return { wake: sleeper.wake };
}

/** Whether the scan exceeded its time limit. */
function isTimeout(err: unknown): boolean {
  return err instanceof DOMException && err.name === 'TimeoutError';
}

/**
 * Adds gauges for the number of documents awaiting their scan and the age of the oldest; without values while the
 * database is unavailable.
 */
export function measureWaiting(registry: Registry, pool: Pool, clock: Clock): void {
  const waiting = gaugesOf(registry, () => countWaitingScans(pool, clock.now()));
  waiting(
    {
      name: 'sss_documents_awaiting_scan',
      help: 'Finalized documents without a scan result.',
    },
    ({ count }) => count,
  );
  waiting(
    {
      name: 'sss_documents_parked',
      help: 'Documents that are not scanned until staff request it, because every scan failed.',
    },
    ({ parked }) => parked,
  );
  waiting(
    {
      name: 'sss_oldest_document_awaiting_scan_age_seconds',
      help: 'How long ago the oldest document without a scan result was finalized; 0 when there is none.',
    },
    ({ oldestSeconds }) => oldestSeconds,
  );
}
