import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** The status object that suppliers see, copied by hand from the contract's "Submission status object". */
export interface StatusObject {
  readonly environment: 'sandbox' | 'production';
  readonly submission_id: string;
  readonly external_reference: string;
  readonly level: 'basic' | 'application';
  readonly status: 'received' | 'accepted' | 'duplicate_not_accepted' | 'rejected' | 'returned';
  readonly received_at: string;
  readonly decided_at: string | null;
  readonly application_reference: string | null;
  readonly application_created_at: string | null;
  readonly billing: BillingObject;
  readonly handoff?: {
    readonly customer_journey_url: string;
    readonly expires_at: string;
    readonly single_use: true;
  };
  readonly arrival_screen_url?: string;
  readonly return?: {
    readonly reason_category: string;
    readonly reason_category_version: 'v1';
    readonly returned_at: string;
  };
}

export interface BillingObject {
  readonly billing_status: 'pending' | 'billable' | 'not_billable';
  readonly billable_at: string | null;
  readonly billing_model: 'accepted_submission' | 'application_created' | 'pre_underwriting_cleared';
  readonly not_billable_reason: 'duplicate' | 'rejected' | 'sandbox' | 'returned' | null;
}

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown };
}

export interface Violation {
  readonly path: string;
  readonly message: string;
}

export interface WebhookEnvelope {
  readonly id: string;
  readonly type: 'submission.status_changed';
  readonly occurred_at: string;
  readonly data: StatusObject;
}

const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
// Every timestamp we send has exactly millisecond precision.
const TIMESTAMP = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

const uuid = { type: 'string', pattern: UUID };
const timestamp = { type: 'string', pattern: TIMESTAMP };
const timestampOrNull = { type: ['string', 'null'], pattern: TIMESTAMP };
const uri = { type: 'string', pattern: '^https?://[^\\s]+$' };
const closed = (properties: Record<string, object>, optional: readonly string[] = []): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const billing = closed({
  billing_status: { enum: ['pending', 'billable', 'not_billable'] },
  billable_at: timestampOrNull,
  billing_model: { enum: ['accepted_submission', 'application_created', 'pre_underwriting_cleared'] },
  not_billable_reason: { enum: ['duplicate', 'rejected', 'sandbox', 'returned', null] },
});
const handoff = closed({ customer_journey_url: uri, expires_at: timestamp, single_use: { const: true } });
const returned = closed({
  reason_category: {
    enum: [
      'company_dissolved_or_insolvent',
      'outstanding_ccjs',
      'adverse_credit_profile',
      'weak_financial_position',
      'overdue_filings',
      'pre_underwriting_criteria_not_met',
    ],
  },
  reason_category_version: { const: 'v1' },
  returned_at: timestamp,
});
const statusFields = {
  environment: { enum: ['sandbox', 'production'] },
  submission_id: uuid,
  external_reference: { type: 'string', minLength: 1, maxLength: 128 },
  level: { enum: ['basic', 'application'] },
  status: { enum: ['received', 'accepted', 'duplicate_not_accepted', 'rejected', 'returned'] },
  received_at: timestamp,
  decided_at: timestampOrNull,
  application_reference: { type: ['string', 'null'], pattern: '^APP-[0-9A-HJKMNP-TV-Z]{10}$' },
  application_created_at: timestampOrNull,
  billing,
  handoff,
  return: returned,
};
const status = closed(statusFields, ['handoff', 'return']);
const statusOfCreate = closed({ ...statusFields, arrival_screen_url: uri }, [
  'handoff',
  'return',
  'arrival_screen_url',
]);

const error = closed({
  error: closed(
    {
      code: {
        enum: [
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
        ],
      },
      message: { type: 'string', minLength: 1, maxLength: 200 },
      details: {},
    },
    ['details'],
  ),
});
const violations = {
  type: 'array',
  minItems: 1,
  maxItems: 50,
  items: closed({ path: { type: 'string' }, message: { type: 'string', minLength: 1, maxLength: 200 } }),
};
const envelope = closed({
  id: uuid,
  type: { const: 'submission.status_changed' },
  occurred_at: timestamp,
  data: status,
});

const upload = closed({ document_id: uuid, upload_url: uri });
const document = closed({
  document_id: uuid,
  category: { enum: ['bank_statements', 'accounts', 'id'] },
  scan_status: { enum: ['pending_scan', 'clean', 'infected', 'scan_failed'] },
});

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const isStatus = ajv.compile<StatusObject>(status);
const isStatusOfCreate = ajv.compile<StatusObject>(statusOfCreate);
const isError = ajv.compile<ErrorBody>(error);
const isEnvelope = ajv.compile<WebhookEnvelope>(envelope);
const isViolations = ajv.compile<Violation[]>(violations);
const isConflictDetails = ajv.compile(closed({ submission_id: uuid }));
// The largest request body, and the largest document file.
const isSizeDetails = ajv.compile(closed({ max_bytes: { enum: [65_536, 26_214_400] } }));
const isRevisionDetails = ajv.compile(
  closed({ current_revision: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } }),
);
const isPromotionDetails = ajv.compile(closed({ application_reference: statusFields.application_reference }));
const isUpload = ajv.compile<{ document_id: string; upload_url: string }>(upload);
const isDocument = ajv.compile<{ document_id: string; category: string; scan_status: string }>(document);

/** Returns the status object in `body`; throws if it isn't one. Only create responses may carry an arrival link. */
export function asStatusObject(body: unknown, from: 'create' | 'read' | 'webhook'): StatusObject {
  const object = checked(from === 'create' ? isStatusOfCreate : isStatus, body, `status object (${from})`);
  const broken = brokenPromises(object);
  if (broken.length > 0)
    throw new Error(`A status object is inconsistent: ${broken.join('; ')}: ${JSON.stringify(body)}`);
  return object;
}

/** Returns the error in `body`, including its details; throws if the contract has no such error. */
export function asErrorBody(body: unknown): ErrorBody['error'] {
  const { error: found } = checked(isError, body, 'error object');
  switch (found.code) {
    case 'validation_error':
      checked(isViolations, found.details, 'details of validation_error');
      break;
    case 'external_reference_conflict':
      checked(isConflictDetails, found.details, 'details of external_reference_conflict');
      break;
    case 'payload_too_large':
      checked(isSizeDetails, found.details, 'details of payload_too_large');
      break;
    case 'revision_conflict':
      checked(isRevisionDetails, found.details, 'details of revision_conflict');
      break;
    case 'concurrent_promotion':
      // There is no submission to name while the other promotion is in progress.
      if ('details' in found) checked(isPromotionDetails, found.details, 'details of concurrent_promotion');
      break;
    default:
      if ('details' in found) throw new Error(`${found.code} has details: ${JSON.stringify(found.details)}`);
  }
  return found;
}

/** Returns the reserved upload in `body`; throws if it isn't one. */
export const asUpload = (body: unknown) => checked(isUpload, body, 'reserved upload');

/** Returns the document in `body`; throws if it isn't one. */
export const asDocument = (body: unknown) => checked(isDocument, body, 'document');

/** Returns the webhook envelope in `body`; throws if it isn't one. */
export function asEnvelope(body: unknown): WebhookEnvelope {
  const found = checked(isEnvelope, body, 'webhook envelope');
  asStatusObject(found.data, 'webhook');
  return found;
}

// Checks the promises that link the fields of one object.
function brokenPromises(s: StatusObject): string[] {
  const { billing_status, billable_at, not_billable_reason } = s.billing;
  const promises: Record<string, boolean> = {
    'decided_at is null exactly while received': (s.decided_at === null) === (s.status === 'received'),
    'an application has both a reference and a time, or neither':
      (s.application_reference === null) === (s.application_created_at === null),
    'billable_at is set exactly while billable': (billable_at !== null) === (billing_status === 'billable'),
    'a reason is present exactly while not billable':
      (not_billable_reason !== null) === (billing_status === 'not_billable'),
    'return is present exactly while returned': (s.return !== undefined) === (s.status === 'returned'),
    'the sandbox is never billable':
      s.environment !== 'sandbox' || (billing_status === 'not_billable' && not_billable_reason === 'sandbox'),
    'an accepted application-level submission has its application':
      s.level !== 'application' ||
      !['accepted', 'returned'].includes(s.status) ||
      s.application_reference !== null,
    'no other submission has an application':
      ['accepted', 'returned'].includes(s.status) || s.application_reference === null,
    'handoff only while accepted': s.handoff === undefined || s.status === 'accepted',
    'a returned production lead is not billable for that reason':
      s.environment !== 'production' || s.status !== 'returned' || not_billable_reason === 'returned',
  };
  return Object.keys(promises).filter((promise) => !promises[promise]);
}

function checked<T>(validate: ValidateFunction<T>, value: unknown, what: string): T {
  if (validate(value)) return value;
  const why = (validate.errors ?? []).map((e: ErrorObject) => `${e.instancePath || '/'} ${e.message}`);
  throw new Error(`Not a ${what}: ${why.join('; ')}: ${JSON.stringify(value)}`);
}
