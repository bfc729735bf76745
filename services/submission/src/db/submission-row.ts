import { fromBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/crypto';
import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import { withContact } from '../domain/contact.ts';
import type { OpenSubmission, SubmissionState } from '../domain/submission.ts';
import type { Submission } from './generated/client.ts';

/** Where the sealed enquiry of a submission lies. */
export const enquiryPlace = (id: SubmissionId) => ({ table: 'submission', column: 'enquiry', row: id });

/** Where the sealed working contact of a submission lies. */
export const contactPlace = (id: SubmissionId) => ({ table: 'submission', column: 'contact', row: id });

/** A row without the applicant's data. */
export type StateRow = Omit<
  Submission,
  'enquiry' | 'contact' | 'bodyDigest' | 'companyHash' | 'telephoneHash' | 'emailHash' | 'applicationMinting'
>;

/** The columns of a StateRow: what is not needed is not read. */
export const STATE_COLUMNS = {
  id: true,
  accountId: true,
  environment: true,
  externalReference: true,
  level: true,
  status: true,
  awaitsStaff: true,
  receivedAt: true,
  decidedAt: true,
  decisionPolicy: true,
  decisionRule: true,
  decisionReason: true,
  applicationReference: true,
  applicationCreatedAt: true,
  billingModel: true,
  billingStatus: true,
  billableAt: true,
  notBillableReason: true,
  returnReason: true,
  returnedAt: true,
  changedAt: true,
  version: true,
  revision: true,
  terms: true,
} as const;

/** What the supplier can see of a row. The table's own checks make the combinations sound. */
export function stateOf(row: StateRow): SubmissionState {
  return {
    id: row.id as SubmissionId,
    accountId: row.accountId as AccountId,
    environment: row.environment,
    externalReference: row.externalReference,
    level: row.level,
    status: row.status,
    awaitsStaff: row.awaitsStaff,
    receivedAt: row.receivedAt,
    decidedAt: row.decidedAt,
    application:
      row.applicationReference !== null && row.applicationCreatedAt !== null
        ? { reference: row.applicationReference, createdAt: row.applicationCreatedAt }
        : null,
    billing: {
      model: row.billingModel,
      status: row.billingStatus,
      billableAt: row.billableAt,
      notBillableReason: row.notBillableReason,
    },
    returned:
      row.returnReason !== null && row.returnedAt !== null
        ? { reason: row.returnReason, at: row.returnedAt }
        : null,
    enrolments: fromBinary(TermsSchema, row.terms).enrolments,
    changedAt: row.changedAt,
    version: row.version,
  };
}

/** A row with its enquiry opened. Throws when the applicant's data has been erased. */
export function openSubmission(row: Submission, keyRing: KeyRing): OpenSubmission {
  if (row.enquiry === null) throw new Error('the data of this applicant has been erased');
  const state = stateOf(row);
  return {
    ...state,
    enquiry: fromBinary(EnquirySchema, keyRing.open(row.enquiry, enquiryPlace(state.id))),
    terms: fromBinary(TermsSchema, row.terms),
  };
}

/** The enquiry as it now stands, corrections of the contact included. Throws like openSubmission. */
export function openWorkingEnquiry(row: Submission, keyRing: KeyRing): Enquiry {
  const { id, enquiry } = openSubmission(row, keyRing);
  if (row.contact === null) return enquiry;
  return withContact(enquiry, fromBinary(ContactSchema, keyRing.open(row.contact, contactPlace(id))));
}
