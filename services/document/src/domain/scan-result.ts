import { ScanReason, ScanStatus } from '@supplier/proto/document/v1/document';

/** A scan status as the database spells it. */
export type ScanStatusName = 'pending_scan' | 'clean' | 'infected' | 'scan_failed';
/** A scan reason as the database spells it. */
export type ScanReasonName =
  | 'malware'
  | 'content_mismatch'
  | 'encrypted'
  | 'limits_exceeded'
  | 'object_changed';

const STATUSES: Record<ScanStatusName, ScanStatus> = {
  pending_scan: ScanStatus.PENDING_SCAN,
  clean: ScanStatus.CLEAN,
  infected: ScanStatus.INFECTED,
  scan_failed: ScanStatus.SCAN_FAILED,
};

const REASONS: Record<ScanReasonName, ScanReason> = {
  malware: ScanReason.MALWARE,
  content_mismatch: ScanReason.CONTENT_MISMATCH,
  encrypted: ScanReason.ENCRYPTED,
  limits_exceeded: ScanReason.LIMITS_EXCEEDED,
  object_changed: ScanReason.OBJECT_CHANGED,
};

/** The status of a spelling; unspecified before the upload is finalized. */
export function scanStatusOf(name: ScanStatusName | undefined): ScanStatus {
  return name ? STATUSES[name] : ScanStatus.UNSPECIFIED;
}

/** The reason of a spelling; unspecified where there is none. */
export function scanReasonOf(name: ScanReasonName | undefined): ScanReason {
  return name ? REASONS[name] : ScanReason.UNSPECIFIED;
}
