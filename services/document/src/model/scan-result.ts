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

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * Returns the delay after the `failures`-th consecutive scan without a result, in milliseconds: 1 s, doubling up to 60
 * s.
 */
export function scanBackoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1));
}

/**
 * Number of scans without a result before a document is parked. Only scans that lost the scanner or whose content check
 * failed count: an unreachable scanner or store is not the document's fault.
 */
export const MAX_SCAN_TRIES = 5;
