import { RefusalCode } from '@supplier/lib/rpc/refusal';

export interface ErrorRow {
  readonly status: number;
  /** Default message to the supplier: 1 to 200 characters. */
  readonly message: string;
}

/** Every error code of the public contract. Implements docs/contract.md, section 8. */
export const ERROR_TABLE = {
  bad_request: { status: 400, message: 'The request could not be read.' },
  unauthorized: { status: 401, message: 'The credential is missing or invalid in this environment.' },
  forbidden: { status: 403, message: 'The credential does not permit this operation.' },
  not_found: { status: 404, message: 'Not found. Check the path, id or reference.' },
  external_reference_conflict: {
    status: 409,
    message: 'The external reference belongs to a submission with a different body.',
  },
  revision_conflict: { status: 409, message: 'The submission has changed since that revision.' },
  idempotency_conflict: { status: 409, message: 'The idempotency key was used with a different body.' },
  concurrent_promotion: {
    status: 409,
    message: 'The submission has been promoted, or is being promoted by another request.',
  },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  validation_error: { status: 422, message: 'The request has missing or invalid fields.' },
  rate_limited: { status: 429, message: 'Too many requests. Try again later.' },
  service_unavailable: { status: 503, message: 'The service is temporarily unavailable. Try again shortly.' },
} as const satisfies Record<string, ErrorRow>;

export type PublicCode = keyof typeof ERROR_TABLE;

/** Public code for each refusal by a service behind the gateway. */
export const REFUSAL_TABLE: Record<RefusalCode, PublicCode> = {
  [RefusalCode.UNSPECIFIED]: 'service_unavailable',
  [RefusalCode.VALIDATION_ERROR]: 'validation_error',
  [RefusalCode.NOT_FOUND]: 'not_found',
  [RefusalCode.FORBIDDEN]: 'forbidden',
  [RefusalCode.EXTERNAL_REFERENCE_CONFLICT]: 'external_reference_conflict',
  [RefusalCode.REVISION_CONFLICT]: 'revision_conflict',
  [RefusalCode.IDEMPOTENCY_CONFLICT]: 'idempotency_conflict',
  [RefusalCode.CONCURRENT_PROMOTION]: 'concurrent_promotion',
  // Only staff create things that can already exist; no public operation returns this code.
  [RefusalCode.ALREADY_EXISTS]: 'service_unavailable',
  [RefusalCode.WRONG_STATE]: 'validation_error',
  [RefusalCode.SERVICE_UNAVAILABLE]: 'service_unavailable',
  [RefusalCode.PAYLOAD_TOO_LARGE]: 'payload_too_large',
};

/** Public code for each error of the HTTP framework; its other errors are unexpected. */
export const FRAMEWORK_TABLE: Readonly<Record<string, PublicCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_EMPTY_TYPE: 'bad_request',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'bad_request',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'bad_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_NOT_FOUND: 'not_found',
};
