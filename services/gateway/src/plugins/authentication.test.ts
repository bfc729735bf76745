import { Code, ConnectError } from '@connectrpc/connect';
import { generateCredential } from '@supplier/lib/rpc/credential';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { createRequest, type FakeGateway, fakeGateway, SUBMISSION_ID } from '../testing/fake-gateway.ts';
import { exchangeRaw } from '../testing/raw-client.ts';
import { sampleBody } from '../testing/sample-body.ts';

const read = (gateway: FakeGateway, headers: Record<string, string> = {}) =>
  gateway.app.inject({ method: 'GET', url: `/v1/supplier-submissions/${SUBMISSION_ID}`, headers });

async function expectUnauthorized(
  gateway: FakeGateway,
  authorization = `Bearer ${gateway.bearer}`,
  message = 'The credential is missing or invalid in this environment.',
) {
  const answer = await read(gateway, { authorization });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.json()).toEqual({ error: { code: 'unauthorized', message } });
  expect(gateway.calls).toEqual([]);
}

describe('authentication', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('accepts the scheme %s', async (scheme) => {
    const gateway = fakeGateway();
    const answer = await read(gateway, { authorization: `${scheme} ${gateway.bearer}` });
    expect(answer.statusCode).toBe(200);
  });

  const USE_BEARER = 'Use Authorization: Bearer <credential>.';
  const AS_ISSUED = 'Send the credential exactly as issued: letters, digits and underscores only.';

  it.each([
    ['is empty', () => '', `The Authorization header has no credential. ${USE_BEARER}`],
    ['has no credential', () => 'Bearer', `The Authorization header has no credential. ${USE_BEARER}`],
    [
      'has spaces instead of one',
      () => 'Bearer  ',
      `The Authorization header has no credential. ${USE_BEARER}`,
    ],
    ['has another scheme', () => 'Basic YTpi', USE_BEARER],
    ['has a credential under another scheme', (bearer: string) => `Token ${bearer}`, USE_BEARER],
    ['has no scheme', (bearer: string) => bearer, USE_BEARER],
    ['has a colon after the scheme', (bearer: string) => `Bearer: ${bearer}`, USE_BEARER],
    ['has a tab after the scheme', (bearer: string) => `Bearer\t${bearer}`, USE_BEARER],
    ['has the credential in quotation marks', (bearer: string) => `Bearer "${bearer}"`, AS_ISSUED],
    ['has a placeholder', () => 'Bearer <credential>', AS_ISSUED],
    ['has the scheme twice', (bearer: string) => `Bearer Bearer ${bearer}`, AS_ISSUED],
    ['has two credentials', (bearer: string) => `Bearer ${bearer} ${bearer}`, AS_ISSUED],
    ['is a list', (bearer: string) => `Bearer ${bearer},Bearer ${bearer}`, AS_ISSUED],
    ['is too long', () => `Bearer ${'x'.repeat(5000)}`, AS_ISSUED],
    [
      'has a signing secret',
      () => 'Bearer whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
      'This is a webhook signing secret. Use your API credential.',
    ],
  ])('explains how to fix a header that %s', async (_what, header, message) => {
    const gateway = fakeGateway();
    await expectUnauthorized(gateway, header(gateway.bearer), message);
  });

  it('explains which header is missing and how to send it', async () => {
    const answer = await read(fakeGateway());
    expect(answer.statusCode).toBe(401);
    expect(answer.json().error.message).toBe(`The Authorization header is missing. ${USE_BEARER}`);
  });

  it('explains that the header must be sent only once', async () => {
    const { app, bearer } = fakeGateway();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const header = `Authorization: Bearer ${bearer}\r\n`;
    const answer = await exchangeRaw(
      app.server,
      `GET /v1/supplier-submissions/${SUBMISSION_ID} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}${header}\r\n`,
    );
    await app.close();
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"message":"Send exactly one Authorization header."');
    expect(answer).not.toContain(bearer);
  });

  it('rejects a malformed credential the same way as an unknown one', async () => {
    const gateway = fakeGateway();
    const last = gateway.bearer.endsWith('a') ? 'b' : 'a';
    await expectUnauthorized(gateway, 'Bearer not_a_credential');
    await expectUnauthorized(gateway, `Bearer ${gateway.bearer.slice(0, -1)}${last}`);
  });

  it('rejects credentials of the other environment, by their form and by their record', async () => {
    const live = generateCredential('sss', 'live').bearer;
    const find = async () => {
      throw new Error('nobody needs to be asked about a live credential here');
    };
    const sandbox = 'This is the sandbox. Use a test credential: this one is a live credential.';
    await expectUnauthorized(fakeGateway({ find }), `Bearer ${live}`, sandbox);
    const recorded = fakeGateway({ credential: { environment: Environment.PRODUCTION } });
    await expectUnauthorized(recorded, undefined, sandbox);
    await expectUnauthorized(
      fakeGateway({ env: { SSS_ENVIRONMENT: 'production', SSS_PRODUCTION_ENABLED: 'true' } }),
      undefined,
      'This is production. Use a live credential: this one is a test credential.',
    );
  });

  it('returns 503 when the credential lookup fails', async () => {
    const find = async () => {
      throw new ConnectError('unavailable', Code.Unavailable);
    };
    const gateway = fakeGateway({ find });
    const answer = await read(gateway, { authorization: `Bearer ${gateway.bearer}` });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).toHaveProperty('retry-after');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });
});

describe('requireScope', () => {
  it.each([
    ['read', [Scope.READ], 200, 403],
    ['create at application level', [Scope.CREATE_APPLICATION], 403, 202],
    ['create at basic level', [Scope.CREATE_BASIC, Scope.CORRECT, Scope.PROMOTE], 403, 403],
    ['nothing', [], 403, 403],
  ])('checks the scopes of a credential that may %s', async (_what, scopes, reading, creating) => {
    const gateway = fakeGateway({ scopes });
    const authorization = `Bearer ${gateway.bearer}`;
    expect((await read(gateway, { authorization })).statusCode).toBe(reading);
    const url = '/v1/supplier-submissions?external_reference=x';
    expect((await gateway.app.inject({ url, headers: { authorization } })).statusCode).toBe(reading);
    const created = await gateway.app.inject(createRequest(gateway, sampleBody()));
    expect(created.statusCode).toBe(creating);
    if (creating === 403) expect(created.json().error.code).toBe('forbidden');
  });
});
