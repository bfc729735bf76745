import { fromBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { type Terms, TermsSchema } from '@supplier/proto/common/v1/principal';
import type {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import { LRUCache } from 'lru-cache';
import { contactAad, enquiryAad, identifyingAad } from '../model/associated-data.ts';
import { withContact } from '../model/contact.ts';
import type { SubmissionState } from '../model/submission.ts';

/** The supplier-visible state of a submission as stored. Small integers are enum numbers. */
export interface StateRow {
  readonly id: SubmissionId;
  readonly account_id: AccountId;
  readonly environment: Environment.SANDBOX | Environment.PRODUCTION;
  readonly external_reference: string;
  readonly level: Level;
  readonly status: Status;
  readonly awaits_staff: boolean;
  readonly unidentified: boolean;
  readonly received_at: Date;
  readonly decided_at: Date | null;
  readonly application_reference: string | null;
  readonly application_created_at: Date | null;
  readonly billing_model: BillingModel;
  readonly billing_status: BillingStatus;
  readonly billable_at: Date | null;
  readonly not_billable_reason: NotBillableReason;
  readonly return_reason: ReturnReasonCategory | null;
  readonly returned_at: Date | null;
  readonly changed_at: Date;
  /** A 64-bit number, which the driver returns as text. */
  readonly version: string;
  readonly terms: Buffer;
}

/** The columns of a StateRow, with the table alias `w`; no others are read. */
export const STATE_COLUMNS = `w.id, w.account_id, w.environment, w.external_reference, w.level, w.status, w.awaits_staff,
  w.unidentified, w.received_at, w.decided_at, w.application_reference, w.application_created_at, w.billing_model, w.billing_status,
  w.billable_at, w.not_billable_reason, w.return_reason, w.returned_at, w.changed_at, w.version, w.terms`;

/** Converts a row to the supplier-visible state. The table's checks guarantee valid combinations. */
export function stateOf(row: StateRow): SubmissionState {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    externalReference: row.external_reference,
    level: row.level,
    status: row.status,
    awaitsStaff: row.awaits_staff,
    unidentified: row.unidentified,
    receivedAt: row.received_at,
    decidedAt: row.decided_at,
    application:
      row.application_reference !== null && row.application_created_at !== null
        ? { reference: row.application_reference, createdAt: row.application_created_at }
        : null,
    billing: {
      model: row.billing_model,
      status: row.billing_status,
      billableAt: row.billable_at,
      notBillableReason: row.not_billable_reason,
    },
    returned:
      row.return_reason !== null && row.returned_at !== null
        ? { reason: row.return_reason, at: row.returned_at }
        : null,
    enrolments: termsOf(row.terms).enrolments,
    changedAt: row.changed_at,
    version: BigInt(row.version),
  };
}

/** An account's terms change seldom, so most of the copies in its submissions have the same bytes. */
const knownTerms = new LRUCache<string, Terms>({ max: 500 });

/** Returns the account's terms at the time of receipt. Shared, so it must not be modified. */
export function termsOf(bytes: Buffer): Terms {
  const key = bytes.toString('latin1');
  let terms = knownTerms.get(key);
  if (!terms) {
    terms = fromBinary(TermsSchema, bytes);
    knownTerms.set(key, terms);
  }
  return terms;
}

/** Opens the enquiry as submitted. Throws if it has been erased or cannot be opened. */
export function openEnquiry(
  keyRing: KeyRing,
  row: { id: SubmissionId; enquiry: Uint8Array | null },
): Enquiry {
  if (row.enquiry === null) throw new Error('enquiry has been erased');
  return fromBinary(EnquirySchema, keyRing.open(row.enquiry, enquiryAad(row.id)));
}

/**
 * Returns what may be shown of an enquiry without a purpose, because it identifies no one. Empty once erased, and for a
 * row that cannot be opened, which must not hide the others.
 */
export function businessFiguresOf(
  keyRing: KeyRing,
  row: { id: SubmissionId; enquiry: Uint8Array | null },
): Partial<Pick<Enquiry, 'fundingAmount' | 'businessSector' | 'tradingDuration'>> {
  if (row.enquiry === null) return {};
  try {
    const { fundingAmount, businessSector, tradingDuration } = openEnquiry(keyRing, row);
    return { ...(fundingAmount === undefined ? {} : { fundingAmount }), businessSector, tradingDuration };
  } catch {
    return {};
  }
}

/** Returns the enquiry with the contact that identifies its customer, where a correction has brought it. */
export function identifyingEnquiry(
  keyRing: KeyRing,
  row: { id: SubmissionId; identifying: Uint8Array | null },
  enquiry: Enquiry,
): Enquiry {
  if (row.identifying === null) return enquiry;
  const contact = keyRing.open(row.identifying, identifyingAad(row.id));
  return withContact(enquiry, fromBinary(ContactSchema, contact));
}

/** Opens the enquiry with corrections of the contact applied. Throws like openEnquiry. */
export function openWorkingEnquiry(
  keyRing: KeyRing,
  row: { id: SubmissionId; enquiry: Uint8Array | null; contact: Uint8Array | null },
): Enquiry {
  const enquiry = openEnquiry(keyRing, row);
  if (row.contact === null) return enquiry;
  return withContact(enquiry, fromBinary(ContactSchema, keyRing.open(row.contact, contactAad(row.id))));
}
