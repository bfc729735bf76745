import type { ScanReasonName } from './scan-result.ts';

/** What a scan comes to. */
export type ScanResult =
  | { readonly status: 'clean' }
  | { readonly status: 'infected'; readonly signature: string }
  | { readonly status: 'scan_failed'; readonly reason: Exclude<ScanReasonName, 'malware'> };

/** What the scanner says; see its interface. */
type Verdict =
  | { readonly kind: 'clean' | 'encrypted' | 'limits_exceeded' }
  | { readonly kind: 'infected'; readonly signature: string };

/**
 * Joins what the scanner says with whether the content is what it was declared to be. Malware outranks everything; what
 * could not be looked into outranks what it looks like from outside; clean is only what nobody objects to.
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
