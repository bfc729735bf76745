import type { ServerResponse } from 'node:http';

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Record<string, string>;
}

/** Every refusal of the listener. The refusal of a wrong method also has an `Allow` header. */
export const REFUSALS = {
  bad_request: { status: 400, message: 'The request is not well-formed HTTP.' },
  not_as_it_is: {
    status: 400,
    message: 'Send the file whole and as it is, without Content-Encoding or Content-Range.',
  },
  forged: { status: 403, message: 'The URL is not as it was issued.' },
  expired: { status: 403, message: 'The URL has expired. Ask for a new one.' },
  size_mismatch: { status: 403, message: 'Content-Length is not the size that the URL was issued for.' },
  type_mismatch: { status: 403, message: 'Content-Type is not the one that the URL was issued for.' },
  not_found: { status: 404, message: 'There is nothing here.' },
  method_not_allowed: { status: 405, message: 'The URL is for another method.' },
  request_timeout: { status: 408, message: 'The request took too long.' },
  length_required: { status: 411, message: 'Send Content-Length; chunked bodies are not taken.' },
  range_refused: { status: 416, message: 'Files are sent whole. Ask without Range.' },
  expectation_failed: { status: 417, message: 'The only expectation that is met is 100-continue.' },
  headers_too_large: { status: 431, message: 'The headers are too large.' },
  internal_error: { status: 500, message: 'Something went wrong. Try again.' },
  busy: {
    status: 503,
    message: 'Too many transfers are under way. Try again.',
    headers: { 'retry-after': '2' },
  },
  store_unavailable: {
    status: 503,
    message: 'The file cannot be stored at the moment. Try again.',
    headers: { 'retry-after': '30' },
  },
} as const satisfies Record<string, Answer>;

export type RefusalName = keyof typeof REFUSALS;

/** Added to every response: proxies must not cache it, and browsers must not render it as a page. */
export const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'referrer-policy': 'no-referrer',
};

/** Thrown to refuse a request that has not been answered yet. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: RefusalName;
  readonly allow: string | undefined;
  constructor(refusal: RefusalName, allow?: string) {
    super(refusal);
    this.refusal = refusal;
    this.allow = allow;
  }
}

/** Sends a refusal as JSON. */
export function refuse(response: ServerResponse, { refusal, allow }: Refused): void {
  const { status, ...answer }: Answer = REFUSALS[refusal];
  const body = refusalBody(refusal);
  response.writeHead(status, {
    ...COMMON_HEADERS,
    ...answer.headers,
    ...(allow ? { allow } : {}),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** `{"error": {"code", "message"}}` */
export function refusalBody(refusal: RefusalName): string {
  return JSON.stringify({ error: { code: refusal, message: REFUSALS[refusal].message } });
}
