import type { ScanReasonName } from './enum-mapping.ts';

/** The result of a scan. */
export type ScanResult =
  | { readonly status: 'clean' }
  | { readonly status: 'infected'; readonly signature: string }
  | { readonly status: 'scan_failed'; readonly reason: Exclude<ScanReasonName, 'malware'> };

/** The verdict of the scanner; see its interface. */
type Verdict =
  | { readonly kind: 'clean' | 'encrypted' | 'limits_exceeded' }
  | { readonly kind: 'infected'; readonly signature: string };

/**
 * Combines the scanner's verdict with whether the content matches its declared type. Malware outranks everything;
 * content that could not be scanned outranks a wrong type; clean needs both a clean verdict and the right type.
 */
export function scanResultOf(verdict: Verdict, matchesDeclaredType: boolean): ScanResult {
  switch (verdict.kind) {
    case 'infected':
      return { status: 'infected', signature: verdict.signature };
    case 'encrypted':
    case 'limits_exceeded':
      return { status: 'scan_failed', reason: verdict.kind };
    case 'clean':
      return matchesDeclaredType
        ? { status: 'clean' }
        : { status: 'scan_failed', reason: 'content_mismatch' };
  }
}

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * Returns how long to wait after the `failures`-th scan in a row without a result, in milliseconds: 1 s, doubling up to
 * 60 s.
 */
export function scanBackoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1));
}

/**
 * Scans of a document that may end without a result before it is parked. Only those count during which the scanner was
 * lost or the check came to nothing: a scanner or a store that cannot be reached is no fault of the document.
 */
export const MAX_SCAN_TRIES = 5;
