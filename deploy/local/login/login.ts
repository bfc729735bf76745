import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getOption } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { openTokenIssuer, type StaffMember, type TokenIssuer } from '../identity/token-issuer.ts';
import { readBody } from '../receiver/read-body.ts';
import { CONSOLE_CLIENT } from './clients.ts';
import { codePage, loginPage, outcomePage } from './page.ts';

const CODE_MS = 60_000;
const DEVICE_MS = 600_000;
const TOKEN_MINUTES = 60;
/** Per kind; the oldest are dropped. */
const MAX_PENDING = 100;
const MAX_BODY_BYTES = 4_096;
/** Consonants, so that no code is a word, as RFC 8628 suggests. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const NAME = /^[\w.@ -]{1,64}$/;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const NO_STORE = { 'cache-control': 'no-store' };

const services = [AccountService, BillingService, DocumentService, SubmissionService, WebhookService];
const roles = services.flatMap(({ methods }) => methods.flatMap((method) => getOption(method, access).roles));
const staffRoles = [...new Set(roles)].filter((role) => role.startsWith('staff:')).sort();
const WHO = `Give a name and one of the roles ${staffRoles.join(', ')}.`;
const NO_LOGIN =
  'This login was not started on this machine. Start again from the program that you want to log in to.';

/** A browser redirected by a client (RFC 6749, RFC 7636, OpenID Connect). */
interface CodeRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}
type Login = CodeRequest & { readonly person: StaffMember };

/** A device that shows a code (RFC 8628). `person` is null when the login was denied. */
interface Device {
  readonly userCode: string;
  person?: StaffMember | null;
}

/** Returns the login of the local stack whose token issuer is in the folder `identity`. */
export const openLogin = async (origin: string, identity: string): Promise<RequestListener> =>
  loginAt(origin, await openTokenIssuer(identity));

/**
 * An OAuth issuer with the device flow and the code flow. It doesn't authenticate users, so it is only for this
 * machine. It serves only the host name of `origin`, so that pages of other origins can't use it.
 */
export function loginAt(
  origin: string,
  { staffTokenOf, idTokenOf }: Pick<TokenIssuer, 'staffTokenOf' | 'idTokenOf'>,
  now: () => number = Date.now,
): RequestListener {
  const codes = pending<Login>(CODE_MS, now);
  const refreshTokens = pending<Login>(Number.POSITIVE_INFINITY, now);
  const devices = pending<Device>(DEVICE_MS, now);

  function beginDevice(response: ServerResponse): void {
    const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    json(response, 200, {
      device_code: devices.add({ userCode }),
      user_code: userCode,
      verification_uri: `${origin}/device`,
      verification_uri_complete: `${origin}/device?user_code=${userCode}`,
      expires_in: DEVICE_MS / 1_000,
      interval: 1,
    });
  }

  function decideDevice(stated: URLSearchParams, response: ServerResponse) {
    const person = personIn(stated);
    if (person === undefined) return page(response, 400, outcomePage(WHO));
    const wanted = plain(stated.get('user_code') ?? '');
    const device = devices.all().find(({ userCode }) => plain(userCode) === wanted);
    if (!device || device.person !== undefined)
      return page(response, 404, outcomePage('That code is unknown, used or expired. Run sss login again.'));
    device.person = person;
    page(
      response,
      200,
      outcomePage(person ? 'You are logged in. You can go back to the terminal.' : 'Denied.'),
    );
  }

  /** Sends the browser back with a code, or with a refusal. */
  function authorize(stated: URLSearchParams, response: ServerResponse) {
    const request = codeRequestIn(stated);
    if (!request) return page(response, 400, outcomePage(NO_LOGIN));
    const person = personIn(stated);
    if (person === undefined) return page(response, 400, outcomePage(WHO));
    const back = new URL(request.redirectUri);
    back.searchParams.set('state', stated.get('state') ?? '');
    if (person) back.searchParams.set('code', codes.add({ ...request, person }));
    else back.searchParams.set('error', 'access_denied');
    response.writeHead(303, { location: back.href, ...NO_STORE }).end();
  }

  async function giveToken(stated: URLSearchParams, response: ServerResponse): Promise<void> {
    const given = (name: string) => stated.get(name) ?? '';
    switch (given('grant_type')) {
      case DEVICE_GRANT: {
        const device = devices.get(given('device_code'));
        if (!device) return json(response, 400, { error: 'expired_token' });
        if (device.person === undefined) return json(response, 400, { error: 'authorization_pending' });
        devices.take(given('device_code'));
        if (device.person === null) return json(response, 400, { error: 'access_denied' });
        return json(response, 200, await tokensFor(device.person));
      }
      case 'authorization_code': {
        const login = codes.take(given('code'));
        const challenge = createHash('sha256').update(given('code_verifier')).digest('base64url');
        const fits =
          login?.clientId === given('client_id') &&
          login.redirectUri === given('redirect_uri') &&
          login.challenge === challenge;
        return fits
          ? json(response, 200, await tokensFor(login.person, login))
          : json(response, 400, { error: 'invalid_grant' });
      }
      case 'refresh_token': {
        const login = refreshTokens.take(given('refresh_token'));
        return login?.clientId === given('client_id')
          ? json(response, 200, await tokensFor(login.person, login))
          : json(response, 400, { error: 'invalid_grant' });
      }
      default:
        return json(response, 400, { error: 'unsupported_grant_type' });
    }
  }

  async function tokensFor(person: StaffMember, login?: Login): Promise<object> {
    return {
      access_token: await staffTokenOf(person, TOKEN_MINUTES),
      token_type: 'Bearer',
      expires_in: TOKEN_MINUTES * 60,
      ...(login && {
        id_token: await idTokenOf({
          ...{ issuer: origin, subject: person.name, clientId: login.clientId, nonce: login.nonce },
        }),
        refresh_token: refreshTokens.add(login),
      }),
    };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    if (request.headers.host !== new URL(origin).host || (request.headers.origin ?? origin) !== origin)
      return json(response, 403, { error: 'invalid_request' });
    const form = async () =>
      new URLSearchParams((await readBody(request, MAX_BODY_BYTES))?.toString('utf8') ?? '');
    switch (`${request.method} ${pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return json(response, 200, metadataOf(origin));
      case 'POST /device_authorization':
        return beginDevice(response);
      case 'POST /token':
        return giveToken(await form(), response);
      case 'GET /device':
        return page(response, 200, loginPage(searchParams.get('user_code') ?? '', staffRoles));
      case 'POST /device':
        return decideDevice(await form(), response);
      case 'GET /authorize': {
        const asked = codeRequestIn(searchParams);
        if (!asked) return page(response, 400, outcomePage(NO_LOGIN));
        return page(response, 200, codePage(searchParams, staffRoles), new URL(asked.redirectUri).origin);
      }
      case 'POST /authorize':
        return authorize(await form(), response);
      default:
        return json(response, 404, { error: 'not_found' });
    }
  }

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : String(error));
      response.writeHead(500).end();
    });
  };
}

/** Stores values under random secrets, each for `lifetimeMs`. */
function pending<Value>(lifetimeMs: number, now: () => number) {
  const kept = new Map<string, { readonly value: Value; readonly endsAt: number }>();
  const get = (secret: string) => {
    const found = kept.get(secret);
    return found && found.endsAt > now() ? found.value : undefined;
  };
  return {
    add(value: Value): string {
      for (const [oldest] of kept) {
        if (kept.size < MAX_PENDING) break;
        kept.delete(oldest);
      }
      const secret = randomBytes(32).toString('base64url');
      kept.set(secret, { value, endsAt: now() + lifetimeMs });
      return secret;
    },
    get,
    take(secret: string): Value | undefined {
      const value = get(secret);
      kept.delete(secret);
      return value;
    },
    all: () => [...kept.keys()].map(get).filter((value) => value !== undefined),
  };
}

/** Returns a client's request; undefined unless it is from this machine's console, with PKCE. */
function codeRequestIn(stated: URLSearchParams): CodeRequest | undefined {
  const given = (name: string) => stated.get(name) ?? '';
  const request = {
    clientId: given('client_id'),
    redirectUri: given('redirect_uri'),
    challenge: given('code_challenge'),
    nonce: given('nonce'),
  };
  const { protocol, hostname } = URL.parse(request.redirectUri) ?? {};
  const fits =
    given('response_type') === 'code' &&
    given('code_challenge_method') === 'S256' &&
    request.clientId === CONSOLE_CLIENT &&
    request.challenge !== '' &&
    protocol === 'http:' &&
    (hostname === '127.0.0.1' || hostname === 'localhost');
  return fits ? request : undefined;
}

/** Returns the submitted user; null when they deny the login, undefined unless the name and the roles exist. */
function personIn(stated: URLSearchParams): StaffMember | null | undefined {
  if (stated.get('decision') === 'deny') return null;
  const name = stated.get('name') ?? '';
  const wanted = stated.getAll('role');
  const fits = NAME.test(name) && wanted.length > 0 && wanted.every((role) => staffRoles.includes(role));
  return fits ? { name, roles: wanted } : undefined;
}

/** People omit the hyphen, and use lower case. */
const plain = (code: string) => code.toUpperCase().replace(/[^A-Z]/g, '');

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

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', ...NO_STORE }).end(JSON.stringify(body));
}

/** `formTarget` is an additional origin that the page's forms may submit to. */
function page(response: ServerResponse, status: number, html: string, formTarget = ''): void {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; form-action 'self' ${formTarget}; frame-ancestors 'none'`;
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  response.writeHead(status, { ...headers, ...NO_STORE }).end(html);
}
