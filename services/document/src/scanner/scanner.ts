import type { Readable } from 'node:stream';
import type { SignatureSet } from '../domain/signatures.ts';

/** The scanner's verdict on a stream that it has read to its end. */
export type ScanVerdict =
  | { readonly kind: 'clean' }
  /** A signature was found; its name is at most 200 visible ASCII characters. */
  | { readonly kind: 'infected'; readonly signature: string }
  /** It, or something in it, is encrypted. */
  | { readonly kind: 'encrypted' }
  /** It exceeds the scanner's limits. */
  | { readonly kind: 'limits_exceeded' };

/** Looks for malware. Every method rejects with ScannerUnavailable when there is no reliable answer. */
export interface Scanner {
  /**
   * Scans a stream to its end, as fast as the scanner takes it and never whole in memory. Destroys the stream. Rejects
   * with the stream's own error when that breaks, with the signal's reason when it is aborted, and with ScannerLost when
   * the scanner had accepted the stream.
   */
  scan(bytes: Readable, signal: AbortSignal): Promise<ScanVerdict>;
  /** The signatures it scans with now. Rejects, too, while it does not report files that it could not look into. */
  signatures(): Promise<SignatureSet>;
}

/** The scanner cannot be reached, or gave no reliable answer: there is no verdict. */
export class ScannerUnavailable extends Error {
  override readonly name = 'ScannerUnavailable';
  readonly failure: string;
  constructor(failure: string, cause?: unknown) {
    super(`scanner unavailable: ${failure}`, { cause });
    this.failure = failure;
  }
}

/** The scanner was there when a scan began, and gave no reliable answer to it: the document may be why. */
export class ScannerLost extends ScannerUnavailable {}
