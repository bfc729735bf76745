import { asDocument, asErrorBody, asStatusObject, asUpload } from './schemas.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as received. */
  readonly text: string;
  /** The parsed body; undefined when there is none. */
  readonly json: unknown;
  readonly requestId: string;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

// The closed table of codes: any other status, or a code under another status, breaks the contract.
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ['bad_request'],
  401: ['unauthorized'],
  403: ['forbidden'],
  404: ['not_found'],
  409: ['external_reference_conflict', 'revision_conflict', 'idempotency_conflict', 'concurrent_promotion'],
  413: ['payload_too_large'],
  422: ['validation_error'],
  429: ['rate_limited'],
  503: ['service_unavailable'],
};
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

/** Checks the promises about every response: request id, content type, closed codes, and the shape of the body. */
export function checkAnswer(asked: Asked, got: Omit<Answer, 'json' | 'requestId'>): Answer {
  const where = `${asked.method} ${asked.path.slice(0, 200)} answered ${got.status}`;
  const requestId = checkRequestId(where, asked.headers['x-request-id'], got.headers['x-request-id']);
  if (asked.method === 'HEAD') return { ...got, json: undefined, requestId };
  const type = String(got.headers['content-type']);
  if (!JSON_TYPE.test(type)) throw new Error(`${where} as ${type}, not JSON: ${got.text.slice(0, 500)}`);
  const json: unknown = JSON.parse(got.text);
  try {
    if (got.status === 200 || got.status === 202) checkSuccess(asked, got.status, json);
    else checkRefusal(got, json);
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return { ...got, json, requestId };
}

/** Checks that each operation has one form of success: only a v1 create may return 202 or an arrival link. */
function checkSuccess({ method, path }: Asked, status: 200 | 202, json: unknown): void {
  const isCreate = method === 'POST' && path === '/v1/supplier-submissions';
  if (status === 202 && !isCreate) throw new Error('only a v1 create returns 202');
  if (path.endsWith('/documents/upload-url')) asUpload(json);
  else if (path.endsWith('/documents/finalize')) asDocument(json);
  else asStatusObject(json, isCreate ? 'create' : 'read');
}

function checkRequestId(where: string, sent: string | undefined, got: unknown): string {
  if (typeof got !== 'string' || !REQUEST_ID.test(got))
    throw new Error(`${where} with X-Request-Id ${JSON.stringify(got)}`);
  if (sent !== undefined && REQUEST_ID.test(sent) && sent !== got)
    throw new Error(`${where} with X-Request-Id ${got} though ${sent} was sent`);
  return got;
}

function checkRefusal({ status, headers }: Pick<Answer, 'status' | 'headers'>, json: unknown): void {
  const codes = CODES[status];
  if (!codes) throw new Error(`a status outside the contract: ${JSON.stringify(json)}`);
  const { code } = asErrorBody(json);
  if (!codes.includes(code)) throw new Error(`${code} does not go with this status`);
  const needed: Record<string, RegExp> =
    status === 401
      ? { 'www-authenticate': /^Bearer/ }
      : status === 429
        ? {
            'retry-after': /^[1-9]\d*$/,
            'ratelimit-limit': /^\d+$/,
            'ratelimit-remaining': /^\d+$/,
            'ratelimit-reset': /^\d{10,}$/,
          }
        : status === 503
          ? { 'retry-after': /^[1-9]\d*$/ }
          : {};
  for (const [name, form] of Object.entries(needed))
    if (!form.test(String(headers[name]))) throw new Error(`header ${name} is ${String(headers[name])}`);
}
