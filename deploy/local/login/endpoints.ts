import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { CodeLogins, GivenTokens } from './code-logins.ts';
import { codeRequestOf } from './code-request.ts';
import {
  CODE_SECONDS,
  type DeviceLogins,
  INTERVAL_SECONDS,
  type Person,
  TOKEN_MINUTES,
} from './device-logins.ts';
import { codePage, loginPage, outcomePage } from './page.ts';
import { staffRoles } from './staff-roles.ts';

const MAX_BODY_BYTES = 4_096;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const NAME = /^[\w.@ -]{1,64}$/;
const WHO = `Give a name and one of the roles ${staffRoles.join(', ')}.`;
const NO_BROWSER =
  'This is no login that a program of this machine has begun: go back to it, and begin again.';

/** `leadsTo` is where a form of the page may lead, beside here. */
const pageHeaders = (leadsTo = '') => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${leadsTo}; frame-ancestors 'none'`,
  'cache-control': 'no-store',
});

/** How somebody can log in: on a device that shows a code, or in the browser that asks. */
export interface Logins {
  readonly devices: DeviceLogins;
  readonly browsers: CodeLogins;
}

/**
 * What an OAuth issuer answers to the device flow and the code flow, and the pages on which somebody says who they are.
 * `origin` is the only name it answers to, so that no page of another origin can use it through a name of its own.
 */
export function answerLogin(origin: string, logins: Logins): RequestListener {
  return (request, response) => {
    answer(origin, logins, request, response).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      response.writeHead(500).end();
    });
  };
}

async function answer(
  origin: string,
  logins: Logins,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', origin);
  const sentFrom = request.headers.origin ?? origin;
  if (request.headers.host !== new URL(origin).host || sentFrom !== origin)
    return json(response, 403, { error: 'invalid_request' });
  switch (`${request.method} ${pathname}`) {
    case 'GET /.well-known/openid-configuration':
      return json(response, 200, metadataOf(origin));
    case 'POST /device_authorization':
      return begin(origin, logins.devices, response);
    case 'POST /token':
      return token(logins, await form(request), response);
    case 'GET /device':
      return page(response, 200, loginPage(searchParams.get('user_code') ?? '', staffRoles));
    case 'POST /device':
      return decide(logins.devices, await form(request), response);
    case 'GET /authorize': {
      const asked = codeRequestOf(searchParams);
      if (!asked) return page(response, 400, outcomePage(NO_BROWSER));
      return page(response, 200, codePage(searchParams, staffRoles), new URL(asked.redirectUri).origin);
    }
    case 'POST /authorize':
      return authorize(logins.browsers, await form(request), response);
    default:
      return json(response, 404, { error: 'not_found' });
  }
}

const metadataOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  device_authorization_endpoint: `${origin}/device_authorization`,
  token_endpoint: `${origin}/token`,
  grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
  token_endpoint_auth_methods_supported: ['none'],
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['EdDSA'],
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

async function token(logins: Logins, stated: URLSearchParams, response: ServerResponse): Promise<void> {
  const told = (name: string) => stated.get(name) ?? '';
  switch (told('grant_type')) {
    case DEVICE_GRANT: {
      const given = await logins.devices.ask(told('device_code'));
      if ('error' in given) return json(response, 400, given);
      return json(response, 200, tokensOf({ accessToken: given.token }));
    }
    case 'authorization_code':
      return browserTokens(
        response,
        await logins.browsers.exchange(told('code'), {
          clientId: told('client_id'),
          redirectUri: told('redirect_uri'),
          verifier: told('code_verifier'),
        }),
      );
    case 'refresh_token':
      return browserTokens(response, await logins.browsers.refresh(told('refresh_token'), told('client_id')));
    default:
      return json(response, 400, { error: 'unsupported_grant_type' });
  }
}

function browserTokens(response: ServerResponse, given: GivenTokens | undefined): void {
  if (given) json(response, 200, tokensOf(given));
  else json(response, 400, { error: 'invalid_grant' });
}

const tokensOf = ({ accessToken, idToken, refreshToken }: Partial<GivenTokens>) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: TOKEN_MINUTES * 60,
  ...(idToken ? { id_token: idToken } : {}),
  ...(refreshToken ? { refresh_token: refreshToken } : {}),
});

/** Sends the browser back to who asked, with a code, or with the person's refusal. */
function authorize(logins: CodeLogins, stated: URLSearchParams, response: ServerResponse): void {
  const asked = codeRequestOf(stated);
  if (!asked) {
    page(response, 400, outcomePage(NO_BROWSER));
    return;
  }
  const person = personOf(stated);
  const denies = stated.get('decision') === 'deny';
  if (!denies && !person) {
    page(response, 400, outcomePage(WHO));
    return;
  }
  const back = new URL(asked.redirectUri);
  back.searchParams.set('state', stated.get('state') ?? '');
  if (person && !denies) back.searchParams.set('code', logins.approve(asked, person));
  else back.searchParams.set('error', 'access_denied');
  response.writeHead(303, { location: back.href, 'cache-control': 'no-store' }).end();
}

/** Who somebody says they are; undefined unless it is a name and roles that there are. */
function personOf(stated: URLSearchParams): Person | undefined {
  const name = stated.get('name') ?? '';
  const roles = stated.getAll('role');
  const fits = NAME.test(name) && roles.length > 0 && roles.every((role) => staffRoles.includes(role));
  return fits ? { name, roles } : undefined;
}

function decide(logins: DeviceLogins, stated: URLSearchParams, response: ServerResponse): void {
  const person = personOf(stated);
  const denies = stated.get('decision') === 'deny';
  if (!denies && !person) {
    page(response, 400, outcomePage(WHO));
    return;
  }
  const known = logins.decide(stated.get('user_code') ?? '', denies ? undefined : person);
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

function page(response: ServerResponse, status: number, html: string, leadsTo?: string): void {
  response.writeHead(status, pageHeaders(leadsTo)).end(html);
}
