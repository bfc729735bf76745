import { toBinary } from '@bufbuild/protobuf';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import type { SupplierPrincipal } from '@supplier/lib/rpc-server';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, DecisionMode, TermsSchema } from '@supplier/proto/common/v1/principal';
import { type Level, Status } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import type { NewSubmission } from '../db/insert-submissions.ts';
import { enquiryAad } from '../domain/associated-data.ts';
import { initialBilling } from '../domain/billing.ts';
import { matchKeys } from '../domain/match-keys.ts';
import { simulationOf } from '../domain/sandbox-simulation.ts';
import type { SubmissionState } from '../domain/submission.ts';
import { newArrivalLink } from './journey-arrival.ts';

/** What a supplier submits. */
export interface Submitted {
  readonly externalReference: string;
  readonly level: Level;
  readonly enquiry: Enquiry;
  readonly bodyDigest: Uint8Array<ArrayBuffer>;
}

/** A new submission under the account's terms of this moment, sealed and ready to be recorded. */
export function newSubmission(
  context: Pick<Context, 'clock' | 'config' | 'keyRing'>,
  { accountId, environment, terms }: SupplierPrincipal,
  { externalReference, level, enquiry, bodyDigest }: Submitted,
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
  // What the sandbox plays by name is never matched against anything.
  const keys = simulation ? undefined : matchKeys(enquiry);
  const hash = (purpose: string, key: string | undefined) =>
    key === undefined ? null : keyRing.digest(`match/${purpose}`, key);
  return {
    state,
    bodyDigest,
    applicationMinting:
      terms.applicationMinting === ApplicationMinting.ON_PROMOTION
        ? ApplicationMinting.ON_PROMOTION
        : ApplicationMinting.ON_ACCEPTANCE,
    terms: toBinary(TermsSchema, terms),
    sealedEnquiry: keyRing.seal(toBinary(EnquirySchema, enquiry), enquiryAad(id)),
    companyHash: hash('company', keys?.company),
    telephoneHash: hash('telephone', keys?.telephone),
    emailHash: hash('email', keys?.email),
    context: currentContext(),
    arrivalLink: newArrivalLink(context, state),
  };
}
