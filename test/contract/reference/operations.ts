/** The contract's eight operations, copied by hand: method, path, and the possible statuses of each. */
export const OPERATIONS: readonly (readonly [method: string, path: string, statuses: readonly number[]])[] = [
  ['POST', '/v1/supplier-submissions', [200, 202, 400, 401, 403, 409, 413, 422, 429, 503]],
  ['POST', '/v2/supplier-submissions', [200, 400, 401, 403, 409, 413, 422, 429, 503]],
  [
    'POST',
    '/v1/supplier-submissions/{submission_id}/promotion',
    [200, 400, 401, 403, 404, 409, 413, 422, 429, 503],
  ],
  [
    'POST',
    '/v1/supplier-submissions/{submission_id}/contact-corrections',
    [200, 400, 401, 403, 404, 409, 413, 422, 429, 503],
  ],
  ['GET', '/v1/supplier-submissions', [200, 400, 401, 403, 404, 422, 429, 503]],
  ['GET', '/v1/supplier-submissions/{submission_id}', [200, 401, 403, 404, 422, 429, 503]],
  ['POST', '/v1/supplier-submissions/documents/upload-url', [200, 400, 401, 403, 413, 422, 429, 503]],
  ['POST', '/v1/supplier-submissions/documents/finalize', [200, 400, 401, 403, 404, 413, 422, 429, 503]],
];

/** The closed list of error codes, copied by hand from the contract. */
export const CODES = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'external_reference_conflict',
  'revision_conflict',
  'idempotency_conflict',
  'concurrent_promotion',
  'payload_too_large',
  'validation_error',
  'rate_limited',
  'service_unavailable',
];
