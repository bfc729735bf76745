import { toBinary } from '@bufbuild/protobuf';
import type { SupplierPrincipal } from '@supplier/lib/rpc/rpc-server';
import { currentContext } from '@supplier/lib/runtime/request-context';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, DecisionMode, TermsSchema } from '@supplier/proto/common/v1/principal';
import { type Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { newArrivalLink } from '../journey/journey-arrival.ts';
import { enquiryAad, fingerprintAad } from '../model/associated-data.ts';
import { initialBilling } from '../model/billing.ts';
import { checkContact } from '../model/contact-checks.ts';
import { enquiryHashes } from '../model/match-hashes.ts';
import { simulationOf } from '../model/sandbox-simulation.ts';
import type { SubmissionState } from '../model/submission.ts';
import type { NewSubmission } from './insert.sql.ts';

/** What a supplier submits. */
export interface Submitted {
  readonly externalReference: string;
  readonly level: Level;
  readonly enquiry: Enquiry;
  /** SHA-256 of the public body in its canonical form. */
  readonly bodyFingerprint: Uint8Array;
}

/** A new submission under the account's present terms, sealed and ready to be recorded. */
export function newSubmission(
  context: Pick<Context, 'clock' | 'config' | 'keyRing' | 'matchRule'>,
  { accountId, environment, terms }: SupplierPrincipal,
  { externalReference, level, enquiry, bodyFingerprint }: Submitted,
): NewSubmission {
  const { clock, keyRing } = context;
  const id = newId<SubmissionId>();
  const now = clock.now();
  const simulation = simulationOf(environment, enquiry.businessName);
  const state: SubmissionState = {
    id,
    accountId,
    environment,
    externalReference,
    level,
    status: Status.RECEIVED,
    awaitsStaff: simulation ? simulation.kind === 'await-staff' : terms.decisionMode === DecisionMode.STAFF,
    receivedAt: now,
    decidedAt: null,
    application: null,
    billing: initialBilling(environment, terms.billingModel),
    returned: null,
    enrolments: terms.enrolments,
    changedAt: now,
    version: 0n,
  };
  return {
    state,
    bodyDigest: keyRing.digest('body', bodyFingerprint),
    sealedFingerprint: keyRing.seal(bodyFingerprint, fingerprintAad(id)),
    digestKey: keyRing.digestKeyId,
    // A simulated return needs no promotion.
    applicationMinting:
      terms.applicationMinting === ApplicationMinting.ON_PROMOTION && simulation?.kind !== 'return'
        ? ApplicationMinting.ON_PROMOTION
        : ApplicationMinting.ON_ACCEPTANCE,
    terms: toBinary(TermsSchema, terms),
    sealedEnquiry: keyRing.seal(toBinary(EnquirySchema, enquiry), enquiryAad(id)),
    hashes: enquiryHashes(context, environment, enquiry),
    matchRule: context.matchRule.id,
    contactChecks: checkContact(enquiry, now),
    context: currentContext(),
    arrivalLink: newArrivalLink(context, state),
  };
}
