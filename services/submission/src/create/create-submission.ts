import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { requireScope, type SupplierPrincipal } from '@supplier/lib/rpc/rpc-server';
import { currentContext } from '@supplier/lib/runtime/request-context';
import { annotate } from '@supplier/lib/runtime/tracing';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, DecisionMode, Scope, TermsSchema } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type {
  CreateSubmissionRequest,
  CreateSubmissionResponseSchema,
} from '@supplier/proto/submission/v1/create_submission';
import type { Context, Rpcs } from '../context.ts';
import { arrivalScreen, arrivalScreenAgain, newArrivalLink, statusWithHandoff } from '../journey/index.ts';
import { enquiryAad, fingerprintAad } from '../model/associated-data.ts';
import { initialBilling } from '../model/billing.ts';
import { checkContact } from '../model/contact-checks.ts';
import { enquiryHashes } from '../model/match-hashes.ts';
import { isUnidentified } from '../model/matching.ts';
import { missingFields } from '../model/required-fields.ts';
import { simulationOf } from '../model/sandbox-simulation.ts';
import type { SubmissionState } from '../model/submission.ts';
import { recordSubmissions } from './batch.ts';
import type { NewSubmission } from './insert.sql.ts';

type Response = MessageInitShape<typeof CreateSubmissionResponseSchema>;

/**
 * Records a submission, or returns the current state of the submission for a repeated create. Refuses a different body
 * under a used reference. At application level the decision follows later; at basic level it is part of the same commit
 * and of the response, unless staff decide. Implements docs/contract.md, section 2.
 */
export function createSubmission(context: Context): Rpcs['createSubmission'] {
  const record = recordSubmissions(context);
  return async (request, call) => {
    const { externalReference, level } = request;
    const principal = requireScope(call, scopeOf(level));
    const enquiry = parseEnquiry(request);
    if (simulationOf(principal.environment, enquiry.businessName)?.kind === 'unavailable') {
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
    }
    const { bodyFingerprint } = request;
    const submitted = { externalReference, level, enquiry, bodyFingerprint };
    const incoming = newSubmission(context, principal, submitted);
    const recorded = await record({ incoming, open: { enquiry, terms: principal.terms } });
    if (!recorded) return replay(context, principal, externalReference, bodyFingerprint);
    annotate({ 'sss.submission.id': recorded.id });
    return {
      submission: await statusWithHandoff(context, context.pool, recorded),
      created: true,
      ...arrivalScreen(context, recorded, incoming.arrivalLink),
    };
  };
}

/** Each level has a separate scope. Implements docs/contract.md, section 4. */
function scopeOf(level: Level): Scope {
  return level === Level.BASIC ? Scope.CREATE_BASIC : Scope.CREATE_APPLICATION;
}

/** The fields have already been validated. The required ones depend on the level. */
function parseEnquiry({ level, enquiry = create(EnquirySchema) }: CreateSubmissionRequest): Enquiry {
  const purpose = level === Level.BASIC ? 'basic' : 'application';
  const violations = missingFields(purpose, enquiry).map((path) => ({ path, message: 'is required' }));
  if (violations.length > 0) {
    throw refuse(RefusalCode.VALIDATION_ERROR, 'The enquiry is incomplete.', { violations });
  }
  return enquiry;
}

async function replay(
  context: Context,
  { accountId, environment }: SupplierPrincipal,
  externalReference: string,
  bodyFingerprint: Uint8Array,
): Promise<Response> {
  const original = await context.submissions.byReference({ accountId, environment }, externalReference);
  if (!original) throw new Error('invariant violated: no submission for the taken external_reference');
  const { state } = original;
  const { bodyDigest } = original;
  if (bodyDigest === null || !context.keyRing.isDigest(bodyDigest, 'body', bodyFingerprint)) {
    throw refuse(
      RefusalCode.EXTERNAL_REFERENCE_CONFLICT,
      'This external_reference belongs to a submission with a different body.',
      { submissionId: state.id },
    );
  }
  return {
    submission: await statusWithHandoff(context, context.pool, state),
    created: false,
    ...(await arrivalScreenAgain(context, state)),
  };
}

/** The supplier's input. */
interface Submitted {
  readonly externalReference: string;
  readonly level: Level;
  readonly enquiry: Enquiry;
  /** SHA-256 of the public body in canonical form. */
  readonly bodyFingerprint: Uint8Array;
}

/** Builds a new submission under the account's current terms, sealed and ready to record. */
function newSubmission(
  context: Pick<Context, 'clock' | 'config' | 'keyRing' | 'matchRule'>,
  { accountId, environment, terms }: SupplierPrincipal,
  { externalReference, level, enquiry, bodyFingerprint }: Submitted,
): NewSubmission {
  const { clock, keyRing } = context;
  const id = newId<SubmissionId>();
  const now = clock.now();
  const simulation = simulationOf(environment, enquiry.businessName);
  const hashes = enquiryHashes(context, environment, enquiry);
  const unidentified = isUnidentified({ id, accountId, environment, ...hashes });
  const state: SubmissionState = {
    id,
    accountId,
    environment,
    externalReference,
    level,
    status: Status.RECEIVED,
    awaitsStaff: simulation
      ? simulation.kind === 'await-staff'
      : unidentified || terms.decisionMode === DecisionMode.STAFF,
    unidentified,
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
    hashes,
    matchRule: context.matchRule.id,
    contactChecks: checkContact(enquiry, now),
    context: currentContext(),
    arrivalLink: newArrivalLink(context, state),
  };
}
