import { create } from '@bufbuild/protobuf';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  type GetSubmissionByReferenceRequest,
  GetSubmissionByReferenceRequestSchema,
} from '@supplier/proto/submission/v1/find_submission';
import { PublicError } from '../../errors/public-error.ts';
import { compileValidator } from '../../validation/validator.ts';
import { type Operation, onBehalfOf, sendStatus } from '../operation.ts';
import {
  getSubmissionByReferenceReference,
  getSubmissionByReferenceSchema,
} from './get-submission-by-reference.reference.ts';

/** Reads the current status by the supplier's own reference. Implements docs/contract.md, section 3. */
export const getSubmissionByReference: Operation = {
  method: 'GET',
  path: '/v1/supplier-submissions',
  anyScope: [Scope.READ],
  reference: getSubmissionByReferenceReference,
  prepare: ({ submission }) => {
    return async (request, reply) => {
      const call = toGetSubmissionByReferenceRequest(request.url);
      const status = await submission.getSubmissionByReference(call, onBehalfOf(request));
      return sendStatus(reply, 200, status);
    };
  },
};

const PARAMETER = 'external_reference';
const validate = compileValidator(getSubmissionByReferenceSchema);

/**
 * Reads the reference from the query. Throws bad_request when the parameter is missing, repeated or not decodable, and
 * validation_error when it is empty, too long or not storable. Implements docs/contract.md, section 3.
 */
function toGetSubmissionByReferenceRequest(url: string): GetSubmissionByReferenceRequest {
  const [reference, second] = valuesOf(PARAMETER, url);
  if (reference === undefined) throw badRequest(`The query parameter ${PARAMETER} is missing.`);
  if (second !== undefined) throw badRequest(`The query parameter ${PARAMETER} is repeated.`);
  const { external_reference: externalReference } = validate({ external_reference: reference });
  return create(GetSubmissionByReferenceRequestSchema, { externalReference });
}

/** Decodes query values more strictly than the framework, which passes broken escapes through unchanged. */
function valuesOf(parameter: string, url: string): string[] {
  const query = url.slice(url.indexOf('?') + 1 || url.length);
  return query
    .split('&')
    .map((pair) => pair.split(/=(.*)/s, 2))
    .filter(([name]) => decode(name) === parameter)
    .map(([, value]) => decode(value));
}

function decode(part = ''): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw badRequest('The query is not valid percent-encoded UTF-8.');
  }
}

function badRequest(message: string): PublicError {
  return new PublicError('bad_request', { message });
}
