import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { CODE_SECONDS, type DeviceLogins, INTERVAL_SECONDS, TOKEN_MINUTES } from './device-logins.ts';
import { loginPage, outcomePage } from './page.ts';
import { staffRoles } from './staff-roles.ts';

const MAX_BODY_BYTES = 4_096;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const NAME = /^[\w.@ -]{1,64}$/;
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/**
 * What an OAuth issuer answers to the device flow, and the page on which somebody says who they are. `origin` is the
 * only name it answers to, so that no page of another origin can use it through a name of its own.
 */
export function answerLogin(origin: string, logins: DeviceLogins): RequestListener {
  return (request, response) => {
    answer(origin, logins, request, response).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      response.writeHead(500).end();
    });
  };
}

async function answer(
  origin: string,
  logins: DeviceLogins,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', origin);
  const sentFrom = request.headers.origin ?? origin;
  if (`http://${request.headers.host}` !== origin || sentFrom !== origin)
    return json(response, 403, { error: 'invalid_request' });
  switch (`${request.method} ${pathname}`) {
    case 'GET /.well-known/openid-configuration':
      return json(response, 200, metadataOf(origin));
    case 'POST /device_authorization':
      return begin(origin, logins, response);
    case 'POST /token':
      return token(logins, await form(request), response);
    case 'GET /device':
      return page(response, 200, loginPage(searchParams.get('user_code') ?? '', staffRoles));
    case 'POST /device':
      return decide(logins, await form(request), response);
    default:
      return json(response, 404, { error: 'not_found' });
  }
}

const metadataOf = (origin: string) => ({
  issuer: origin,
  device_authorization_endpoint: `${origin}/device_authorization`,
  token_endpoint: `${origin}/token`,
  grant_types_supported: [DEVICE_GRANT],
  token_endpoint_auth_methods_supported: ['none'],
  response_types_supported: [],
});

function begin(origin: string, logins: DeviceLogins, response: ServerResponse): void {
  const codes = logins.begin();
  if (!codes) {
    json(response, 503, { error: 'temporarily_unavailable' });
    return;
  }
  const { deviceCode, userCode } = codes;
  json(response, 200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${origin}/device`,
    verification_uri_complete: `${origin}/device?user_code=${userCode}`,
    expires_in: CODE_SECONDS,
    interval: INTERVAL_SECONDS,
  });
}

async function token(logins: DeviceLogins, stated: URLSearchParams, response: ServerResponse): Promise<void> {
  if (stated.get('grant_type') !== DEVICE_GRANT)
    return json(response, 400, { error: 'unsupported_grant_type' });
  const given = await logins.ask(stated.get('device_code') ?? '');
  if ('error' in given) return json(response, 400, given);
  json(response, 200, { access_token: given.token, token_type: 'Bearer', expires_in: TOKEN_MINUTES * 60 });
}

function decide(logins: DeviceLogins, stated: URLSearchParams, response: ServerResponse): void {
  const name = stated.get('name') ?? '';
  const roles = stated.getAll('role');
  const denies = stated.get('decision') === 'deny';
  const fits = NAME.test(name) && roles.length > 0 && roles.every((role) => staffRoles.includes(role));
  if (!denies && !fits) {
    page(response, 400, outcomePage(`Give a name and one of the roles ${staffRoles.join(', ')}.`));
    return;
  }
  const known = logins.decide(stated.get('user_code') ?? '', denies ? undefined : { name, roles });
  const outcome = denies ? 'Denied.' : 'Logged in: you can go back to the terminal.';
  page(
    response,
    known ? 200 : 404,
    outcomePage(known ? outcome : 'That code is unknown, used or over: run sss login again.'),
  );
}

async function form(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES)
      throw new Error(`cannot read a login request: its body is longer than ${MAX_BODY_BYTES} bytes`);
  }
  return new URLSearchParams(text);
}

function json(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

function page(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, PAGE_HEADERS).end(html);
}
