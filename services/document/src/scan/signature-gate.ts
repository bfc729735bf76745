import { retryDelayMs } from '@supplier/lib/data/queues';
import type { Logger } from '@supplier/lib/runtime/log';
import type { Clock } from '@supplier/lib/text/time';
import type { EnvironmentName } from '../model/enum-mapping.ts';
import { SCAN_RETRY_DELAYS } from '../model/scan-result.ts';
import { admission, type SignaturePolicy } from '../model/signatures.ts';
import { failureLog } from './failure-log.ts';
import { type Scanner, ScannerUnavailable } from './malware-scanner.ts';

const CHECK_EVERY_MS = 30_000;

/** Decides which environments' documents may be scanned now. */
export interface SignatureGate {
  /** Returns the environments whose documents may be scanned; none while the scanner is unavailable. Never rejects. */
  admitted(): Promise<readonly EnvironmentName[]>;
  /** Reports a failed scan: no environment is admitted until the scanner has answered again. */
  scannerFailed(err: unknown): void;
  /** Whether the scanner answered the last check. */
  available(): boolean;
}

/** Checks the scanner's signatures at most every 30 seconds, with increasing back-off while it is unavailable. */
export function signatureGate(parts: {
  readonly scanner: Scanner;
  readonly policy: SignaturePolicy;
  readonly clock: Clock;
  readonly log: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs?: () => number;
}): SignatureGate {
  const { scanner, policy, clock, log, elapsedMs = () => performance.now() } = parts;
  const scanning = failureLog(log, {
    failed: 'scanning paused',
    recovered: 'scanning resumed',
  });
  let environments: readonly EnvironmentName[] = [];
  let failures = 0;
  let answered = false;
  let nextCheck = Number.NEGATIVE_INFINITY;

  async function check(): Promise<void> {
    try {
      const admitted = admission(await scanner.signatures(), policy, clock.now());
      ({ environments } = admitted);
      answered = true;
      failures = 0;
      nextCheck = elapsedMs() + CHECK_EVERY_MS;
      if (admitted.unfit) scanning.failed({ reason: describe(admitted.unfit, environments) });
      else scanning.recovered();
    } catch (err) {
      scannerFailed(err);
    }
  }

  function scannerFailed(err: unknown): void {
    failures += 1;
    answered = false;
    environments = [];
    nextCheck = elapsedMs() + retryDelayMs(SCAN_RETRY_DELAYS, failures);
    const reason = err instanceof ScannerUnavailable ? err.message : 'scanner unavailable';
    scanning.failed({ err, reason });
  }

  return {
    async admitted() {
      if (elapsedMs() >= nextCheck) await check();
      return environments;
    },
    scannerFailed,
    available: () => answered,
  };
}

function describe(unfit: string, environments: readonly EnvironmentName[]): string {
  return environments.length === 0 ? unfit : `${unfit}; only ${environments} documents are scanned`;
}
