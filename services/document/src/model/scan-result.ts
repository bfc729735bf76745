import type { RetryDelays } from '@supplier/lib/data/queues';
import type { ScanReasonName } from './enum-mapping.ts';

/** Why the content check refused a document; see the content check's table of rules. */
export interface ScanFault {
  readonly rule: string;
  /** The place in the file. */
  readonly part?: string;
}

export type ScanResult =
  | { readonly status: 'clean' }
  | { readonly status: 'infected'; readonly signature: string }
  | {
      readonly status: 'scan_failed';
      readonly reason: Exclude<ScanReasonName, 'malware'>;
      readonly fault?: ScanFault;
    };

/** The scanner's verdict; see the Scanner interface. */
type Verdict =
  | { readonly kind: 'clean' | 'encrypted' | 'limits_exceeded' }
  | { readonly kind: 'infected'; readonly signature: string };

/**
 * Combines the scanner's verdict with the fault of the content check. Malware takes precedence over everything, and
 * content that could not be scanned over a fault; clean requires a clean verdict and no fault.
 */
export function scanResultOf(verdict: Verdict, fault: ScanFault | undefined): ScanResult {
  switch (verdict.kind) {
    case 'infected':
      return { status: 'infected', signature: verdict.signature };
    case 'encrypted':
    case 'limits_exceeded':
      return { status: 'scan_failed', reason: verdict.kind };
    case 'clean':
      return fault ? { status: 'scan_failed', reason: 'content_mismatch', fault } : { status: 'clean' };
  }
}

/** Delays after consecutive scans without a result. */
export const SCAN_RETRY_DELAYS = {
  seconds: [1, 2, 4, 8, 16, 32, 60],
  repeatsLast: true,
} as const satisfies RetryDelays;

/**
 * Number of scans without a result before a document is parked. Only scans that lost the scanner or whose content check
 * failed count: an unreachable scanner or store is not the document's fault.
 */
export const MAX_SCAN_TRIES = 5;
