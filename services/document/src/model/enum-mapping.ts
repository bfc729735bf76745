import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentCategory, ScanReason, ScanStatus } from '@supplier/proto/document/v1/document';

/** The database enums by stored name; each maps to an enum of the contract. */
export type EnvironmentName = 'sandbox' | 'production';
export type CategoryName = 'bank_statements' | 'accounts' | 'id';
export type ScanStatusName = 'pending_scan' | 'clean' | 'infected' | 'scan_failed';
export type ScanReasonName =
  | 'malware'
  | 'content_mismatch'
  | 'encrypted'
  | 'limits_exceeded'
  | 'object_changed';

const CATEGORIES: Record<CategoryName, DocumentCategory> = {
  bank_statements: DocumentCategory.BANK_STATEMENTS,
  accounts: DocumentCategory.ACCOUNTS,
  id: DocumentCategory.ID,
};

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

export function environmentNameOf(
  environment: Environment.SANDBOX | Environment.PRODUCTION,
): EnvironmentName {
  return environment === Environment.SANDBOX ? 'sandbox' : 'production';
}

export function environmentOf(name: EnvironmentName): Environment.SANDBOX | Environment.PRODUCTION {
  return name === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION;
}

/** Returns the stored name of a category; undefined when it is unspecified or unknown to this build. */
export function categoryNameOf(category: DocumentCategory): CategoryName | undefined {
  return (Object.keys(CATEGORIES) as CategoryName[]).find((name) => CATEGORIES[name] === category);
}

export function categoryOf(name: CategoryName): DocumentCategory {
  return CATEGORIES[name];
}

/** Returns the scan status of a stored name; UNSPECIFIED before the upload is finalized. */
export function scanStatusOf(name: ScanStatusName | null | undefined): ScanStatus {
  return name ? STATUSES[name] : ScanStatus.UNSPECIFIED;
}

/** Returns the scan reason of a stored name; UNSPECIFIED where there is none. */
export function scanReasonOf(name: ScanReasonName | null | undefined): ScanReason {
  return name ? REASONS[name] : ScanReason.UNSPECIFIED;
}
