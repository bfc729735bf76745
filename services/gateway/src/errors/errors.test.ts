import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { ERROR_TABLE, FRAMEWORK_TABLE, type PublicCode, REFUSAL_TABLE } from './error-table.ts';
import { PublicError } from './public-error.ts';
import { renderRawError } from './render-error.ts';
import { toPublicError } from './to-public-error.ts';

describe('the error table', () => {
  it("has the contract's codes, each with its status", () => {
    const statuses = Object.entries(ERROR_TABLE).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      bad_request: 400,
      unauthorized: 401,
      forbidden: 403,
      not_found: 404,
      external_reference_conflict: 409,
      revision_conflict: 409,
      idempotency_conflict: 409,
      concurrent_promotion: 409,
      payload_too_large: 413,
      validation_error: 422,
      rate_limited: 429,
      service_unavailable: 503,
    });
  });

  it('has messages within the allowed length', () => {
    for (const { message } of Object.values(ERROR_TABLE)) {
      expect(message.length).toBeGreaterThanOrEqual(1);
      expect(message.length).toBeLessThanOrEqual(200);
    }
  });

  it('has a public code for every refusal', () => {
    const codes = Object.values(RefusalCode).filter((code) => typeof code === 'number');
    expect(Object.keys(REFUSAL_TABLE).map(Number)).toEqual(codes);
  });
});

describe('toPublicError', () => {
  const id = '01890000-0000-7000-8000-000000000001';
  it.each<[RefusalCode, object, PublicCode, unknown]>([
    [RefusalCode.NOT_FOUND, {}, 'not_found', undefined],
    [RefusalCode.FORBIDDEN, {}, 'forbidden', undefined],
    [RefusalCode.IDEMPOTENCY_CONFLICT, {}, 'idempotency_conflict', undefined],
    [
      RefusalCode.EXTERNAL_REFERENCE_CONFLICT,
      { submissionId: id },
      'external_reference_conflict',
      { submission_id: id },
    ],
    [RefusalCode.REVISION_CONFLICT, { currentRevision: 3n }, 'revision_conflict', { current_revision: 3 }],
    [RefusalCode.REVISION_CONFLICT, { currentRevision: 0n }, 'revision_conflict', { current_revision: 0 }],
    [
      RefusalCode.CONCURRENT_PROMOTION,
      { applicationReference: 'APP-1' },
      'concurrent_promotion',
      { application_reference: 'APP-1' },
    ],
    [
      RefusalCode.EXTERNAL_REFERENCE_CONFLICT,
      { submissionId: undefined },
      'external_reference_conflict',
      undefined,
    ],
    [RefusalCode.REVISION_CONFLICT, {}, 'revision_conflict', undefined],
    [RefusalCode.CONCURRENT_PROMOTION, {}, 'concurrent_promotion', undefined],
    [RefusalCode.PAYLOAD_TOO_LARGE, { maxBytes: 26n }, 'payload_too_large', { max_bytes: 26 }],
    [RefusalCode.PAYLOAD_TOO_LARGE, {}, 'payload_too_large', undefined],
    [
      RefusalCode.WRONG_STATE,
      { violations: [{ path: 'document_id', message: 'is not uploaded' }] },
      'validation_error',
      [{ path: 'document_id', message: 'is not uploaded' }],
    ],
    [
      RefusalCode.VALIDATION_ERROR,
      { violations: [{ path: 'email', message: 'is required' }] },
      'validation_error',
      [{ path: 'email', message: 'is required' }],
    ],
    [
      RefusalCode.WRONG_STATE,
      {},
      'validation_error',
      [{ path: 'submission_id', message: 'is in a state that does not allow this' }],
    ],
  ])('converts refusal %s %j to %s with only its own details', (code, details, expected, shown) => {
    // Details that belong to another code are dropped.
    const everything = { submissionId: id, ...details };
    const refused = refuse(code as Exclude<RefusalCode, RefusalCode.UNSPECIFIED>, 'A message.', everything);
    const error = toPublicError(refused);
    expect(error).toMatchObject({ code: expected, message: 'A message.' });
    expect(error.details).toEqual(shown);
  });

  it.each([
    new ConnectError('text', Code.NotFound),
    new ConnectError('text', Code.InvalidArgument),
    refuse(RefusalCode.ALREADY_EXISTS, 'text'),
    refuse(RefusalCode.SERVICE_UNAVAILABLE, 'text'),
    refuse(99 as RefusalCode.NOT_FOUND, 'text'),
    new Error('text'),
    Object.assign(new Error('text'), { code: 'ECONNRESET' }),
    Object.assign(new Error('text'), { statusCode: 418 }),
    'text',
    undefined,
  ])('converts an unexpected error to service_unavailable: %s', (thrown) => {
    const error = toPublicError(thrown);
    expect(error.code).toBe('service_unavailable');
    expect(error.message).not.toContain('text');
    expect(error.cause).toBe(thrown);
  });

  it.each(Object.entries(FRAMEWORK_TABLE))('converts %s of the HTTP framework to %s', (code, expected) => {
    const thrown = Object.assign(new Error('text'), { code });
    const error = toPublicError(thrown);
    expect(error).toMatchObject({ code: expected, message: ERROR_TABLE[expected].message, cause: thrown });
  });

  it('returns a public error unchanged', () => {
    const error = new PublicError('forbidden', { message: 'A message.' });
    expect(toPublicError(error)).toBe(error);
  });

  it('falls back to the default message when a message has an invalid length', () => {
    for (const message of ['', 'x'.repeat(201)]) {
      expect(new PublicError('not_found', { message }).message).toBe(ERROR_TABLE.not_found.message);
    }
  });
});

describe('renderRawError', () => {
  it('renders a complete HTTP response that closes the connection', () => {
    const [head = '', body = ''] = renderRawError(new PublicError('bad_request'), 'mine').split('\r\n\r\n');
    const [status, ...headers] = head.split('\r\n');
    expect(status).toBe('HTTP/1.1 400 Bad Request');
    expect(headers).toEqual(
      expect.arrayContaining([
        'x-request-id: mine',
        'connection: close',
        `content-length: ${Buffer.byteLength(body)}`,
        'content-type: application/json; charset=utf-8',
      ]),
    );
    expect(JSON.parse(body)).toEqual({ error: { code: 'bad_request', message: expect.any(String) } });
  });
});
