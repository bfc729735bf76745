import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { requireScope, type SupplierPrincipal } from '@supplier/lib/rpc/rpc-server';
import { annotate } from '@supplier/lib/runtime/tracing';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Level } from '@supplier/proto/common/v1/status';
import type {
  CreateSubmissionRequest,
  CreateSubmissionResponseSchema,
} from '@supplier/proto/submission/v1/create_submission';
import type { Context, Rpcs } from '../context.ts';
import { arrivalScreen, arrivalScreenAgain } from '../journey/journey-arrival.ts';
import { statusWithHandoff } from '../journey/journey-handoff.ts';
import { missingFields } from '../model/required-fields.ts';
import { simulationOf } from '../model/sandbox-simulation.ts';
import { recordSubmissions } from './batch.ts';
import { newSubmission } from './new-submission.ts';

type Response = MessageInitShape<typeof CreateSubmissionResponseSchema>;

/**
 * Records a submission, or answers a repeated create with the submission as it now is. Refuses another body under a
 * taken reference. At application level the decision follows; at basic level it is part of the same commit and of the
 * answer, unless it is up to staff. Implements docs/contract.md, section 2.
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
    const submission = newSubmission(context, principal, submitted);
    const recorded = await record({ submission, open: { enquiry, terms: principal.terms } });
    if (!recorded) return replay(context, principal, externalReference, bodyFingerprint);
    annotate({ 'sss.submission.id': recorded.id });
    return {
      submission: await statusWithHandoff(context, context.pool, recorded),
      created: true,
      ...arrivalScreen(context, recorded, submission.arrivalLink),
    };
  };
}

/** Each level has a scope of its own. Implements docs/contract.md, section 4. */
function scopeOf(level: Level): Scope {
  return level === Level.BASIC ? Scope.CREATE_BASIC : Scope.CREATE_APPLICATION;
}

/** The fields were validated already; which of them are required depends on the level. */
function parseEnquiry({ level, enquiry = create(EnquirySchema) }: CreateSubmissionRequest): Enquiry {
  const purpose = level === Level.BASIC ? 'basic' : 'application';
  const violations = missingFields(purpose, enquiry).map((path) => ({ path, message: 'is required' }));
  if (violations.length > 0) {
    throw refuse(RefusalCode.VALIDATION_ERROR, 'The enquiry is not complete.', { violations });
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
