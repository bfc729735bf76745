import { timingSafeEqual } from 'node:crypto';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { newId, type SubmissionId } from '@supplier/lib/ids';
import { newEvent } from '@supplier/lib/outbox';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { requirePrincipal, type SupplierPrincipal } from '@supplier/lib/rpc-server';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { DecisionMode, TermsSchema } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { SubmissionReceivedSchema } from '@supplier/proto/submission/v1/events';
import type {
  CreateSubmissionRequest,
  CreateSubmissionResponseSchema,
} from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { findOriginal } from '../db/find-original.ts';
import type { NewSubmission } from '../db/insert-submissions.ts';
import { enquiryPlace } from '../db/submission-row.ts';
import { initialBilling } from '../domain/billing.ts';
import { matchKeys } from '../domain/match-keys.ts';
import { missingApplicationFields } from '../domain/required-fields.ts';
import { simulationOf } from '../domain/sandbox-simulation.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import type { SubmissionState } from '../domain/submission.ts';
import type { Rpc } from './rpc.ts';

type Response = MessageInitShape<typeof CreateSubmissionResponseSchema>;

/**
 * Records a submission with the event that asks for its decision, or answers a repeated create with the submission as
 * it now is. Refuses another body under a taken reference. Implements docs/contract.md, section 2.
 */
export function createSubmission(context: Context): Rpc<CreateSubmissionRequest, Response> {
  return async (request, call) => {
    const principal = requirePrincipal(call);
    const enquiry = parseEnquiry(request);
    const { environment } = principal;
    if (simulationOf(environment, enquiry.businessName)?.kind === 'unavailable') {
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
    }
    const bodyDigest = context.keyRing.digest('body', request.bodyFingerprint);
    const submission = newSubmission(context, principal, request.externalReference, enquiry, bodyDigest);
    if (await context.insertSubmission(submission)) {
      return { submission: toStatusMessage(submission.state), created: true };
    }
    return replay(context, principal, request.externalReference, bodyDigest);
  };
}

/** The message has kept the rules of its fields; which must be there depends on the level. */
function parseEnquiry({ level, enquiry }: CreateSubmissionRequest): Enquiry {
  const violations =
    level === Level.APPLICATION
      ? missingApplicationFields(enquiry ?? create(EnquirySchema)).map((path) => ({
          path,
          message: 'is required',
        }))
      : [{ path: 'level', message: 'must be application' }];
  if (!enquiry || violations.length > 0) {
    throw refuse(RefusalCode.VALIDATION_ERROR, 'The enquiry is not complete.', { violations });
  }
  return enquiry;
}

function newSubmission(
  { clock, keyRing }: Context,
  principal: SupplierPrincipal,
  externalReference: string,
  enquiry: Enquiry,
  bodyDigest: Uint8Array,
): NewSubmission {
  const { accountId, environment, terms } = principal;
  const id = newId<SubmissionId>();
  const now = clock.now();
  const simulation = simulationOf(environment, enquiry.businessName);
  const state: SubmissionState = {
    id,
    accountId,
    environment,
    externalReference,
    level: Level.APPLICATION,
    status: Status.RECEIVED,
    awaitsStaff: simulation ? simulation.kind === 'await-staff' : terms.decisionMode === DecisionMode.STAFF,
    receivedAt: now,
    decidedAt: null,
    application: null,
    billing: initialBilling(environment, terms.billingModel),
    returned: null,
    changedAt: now,
    version: 1n,
  };
  // What the sandbox plays by name is never matched against anything.
  const keys = simulation ? undefined : matchKeys(enquiry);
  const hash = (purpose: string, key: string | undefined) =>
    key === undefined ? null : keyRing.digest(`match/${purpose}`, key);
  return {
    state,
    bodyDigest,
    terms: toBinary(TermsSchema, terms),
    sealedEnquiry: keyRing.seal(toBinary(EnquirySchema, enquiry), enquiryPlace(id)),
    companyHash: hash('company', keys?.company),
    telephoneHash: hash('telephone', keys?.telephone),
    emailHash: hash('email', keys?.email),
    event: newEvent(
      SubmissionReceivedSchema,
      { accountId, environment },
      { aggregateId: id, aggregateVersion: state.version, occurredAt: now },
    ),
  };
}

async function replay(
  { db }: Context,
  { accountId, environment }: SupplierPrincipal,
  externalReference: string,
  bodyDigest: Uint8Array,
): Promise<Response> {
  const original = await findOriginal(db, { accountId, environment }, externalReference);
  if (!original) throw new Error('a taken reference has a submission');
  const { state } = original;
  if (original.bodyDigest === null || !timingSafeEqual(original.bodyDigest, bodyDigest)) {
    throw refuse(
      RefusalCode.EXTERNAL_REFERENCE_CONFLICT,
      'This external_reference belongs to a submission with a different body.',
      { submissionId: state.id },
    );
  }
  return { submission: toStatusMessage(state), created: false };
}
