import type { Readable } from 'node:stream';
import type { SignatureSet } from '../domain/signature-set.ts';

/** What a scanner says of bytes that it has looked into, all of them. */
export type ScanVerdict =
  | { readonly kind: 'clean' }
  /** A signature was found; its name is at most 200 visible ASCII characters. */
  | { readonly kind: 'infected'; readonly signature: string }
  /** It, or something in it, cannot be looked into without a password. */
  | { readonly kind: 'encrypted' }
  /** Looking into it would take more than the scanner's limits. */
  | { readonly kind: 'limits_exceeded' };

/** Looks for malware. Every method rejects with ScannerUnavailable when there is no answer that can be relied on. */
export interface Scanner {
  /**
   * Scans a stream to its end, as fast as the scanner takes it and never whole in memory. Destroys the stream. Rejects
   * with the stream's own error when that breaks, and with the signal's reason when it is aborted.
   */
  scan(bytes: Readable, signal: AbortSignal): Promise<ScanVerdict>;
  /** Which signatures it scans with at the moment. Rejects, too, while it is not set to tell what it could not look into. */
  signatures(): Promise<SignatureSet>;
}

/** The scanner cannot be reached, or gave no answer that can be relied on. Nothing is known of what it was to scan. */
export class ScannerUnavailable extends Error {
  override readonly name = 'ScannerUnavailable';
  constructor(what: string, cause?: unknown) {
    super(`the scanner ${what}`, { cause });
  }
}
