import { Code, ConnectError } from '@connectrpc/connect';
import { generateCredential } from '@supplier/lib/credential';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { createRequest, type FakeGateway, fakeGateway, SUBMISSION_ID } from '../testing/fake-gateway.ts';
import { sampleBody } from '../testing/sample-body.ts';

const read = (gateway: FakeGateway, headers: Record<string, string> = {}) =>
  gateway.app.inject({ method: 'GET', url: `/v1/supplier-submissions/${SUBMISSION_ID}`, headers });

async function expectUnauthorized(
  gateway: FakeGateway,
  authorization = `Bearer ${gateway.bearer}`,
  message = 'The credential is missing or not valid here.',
) {
  const answer = await read(gateway, { authorization });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.json()).toEqual({ error: { code: 'unauthorized', message } });
  expect(gateway.calls).toEqual([]);
}

describe('authentication', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('takes the scheme %s', async (scheme) => {
    const gateway = fakeGateway();
    const answer = await read(gateway, { authorization: `${scheme} ${gateway.bearer}` });
    expect(answer.statusCode).toBe(200);
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer not-a-credential', `Bearer ${'x'.repeat(5000)}`])(
    'refuses the header "%s"',
    (header) => expectUnauthorized(fakeGateway(), header),
  );

  it('refuses a request without the header', async () => {
    const answer = await read(fakeGateway());
    expect(answer.statusCode).toBe(401);
    expect(answer.json().error.message).toBe(
      'There is no credential: send the header Authorization: Bearer <credential>.',
    );
  });

  it('refuses two credentials in one header, the bare credential, and one with a changed check digit', async () => {
    const gateway = fakeGateway();
    const { bearer } = gateway;
    const last = bearer.endsWith('a') ? 'b' : 'a';
    for (const header of [
      `Bearer ${bearer} ${bearer}`,
      `Bearer ${bearer},Bearer ${bearer}`,
      bearer,
      `Basic ${bearer}`,
      `Bearer ${bearer.slice(0, -1)}${last}`,
    ]) {
      await expectUnauthorized(gateway, header);
    }
  });

  it('refuses an unknown credential', () => {
    return expectUnauthorized(fakeGateway(), `Bearer ${generateCredential('sss', 'test').bearer}`);
  });

  it('refuses a wrong secret for a known public id', () => {
    return expectUnauthorized(fakeGateway({ credential: { secretHash: new Uint8Array(32) } }));
  });

  it('refuses a credential whose stored hash is no hash', () => {
    return expectUnauthorized(fakeGateway({ credential: { secretHash: new Uint8Array() } }));
  });

  it('refuses a revoked credential', () =>
    expectUnauthorized(fakeGateway({ credential: { revoked: true } })));

  it.each([
    ['revoked', { revoked: true }],
    ['expired', { expiresAt: new Date(0) }],
    ['revoked and with an expiry to come', { revoked: true, expiresAt: new Date('2999-01-01T00:00:00Z') }],
  ])('refuses a credential that is %s with 401, also of a suspended account', (_what, credential) =>
    expectUnauthorized(fakeGateway({ credential: { ...credential, suspended: true }, scopes: [] })),
  );

  it('refuses a credential from the moment it expires', async () => {
    const expiresAt = new Date('2026-11-20T10:00:00Z');
    await expectUnauthorized(fakeGateway({ credential: { expiresAt }, now: expiresAt }));
    const gateway = fakeGateway({ credential: { expiresAt }, now: new Date(expiresAt.getTime() - 1) });
    expect((await read(gateway, { authorization: `Bearer ${gateway.bearer}` })).statusCode).toBe(200);
  });

  it('refuses the credentials of the other environment, by their form and by their record', async () => {
    const live = generateCredential('sss', 'live').bearer;
    const find = async () => {
      throw new Error('nobody needs to be asked about a live credential here');
    };
    const sandbox = 'This is the sandbox, which takes test credentials only; the credential is a live one.';
    await expectUnauthorized(fakeGateway({ find }), `Bearer ${live}`, sandbox);
    const recorded = fakeGateway({ credential: { environment: Environment.PRODUCTION } });
    await expectUnauthorized(recorded, undefined, sandbox);
    await expectUnauthorized(
      fakeGateway({ env: { SSS_ENVIRONMENT: 'production', SSS_PRODUCTION_ENABLED: 'true' } }),
      undefined,
      'This is production, which takes live credentials only; the credential is a test one.',
    );
  });

  it('answers 503 when nobody can tell', async () => {
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

describe('scope', () => {
  it.each([
    ['read', [Scope.READ], 200, 403],
    ['create at application level', [Scope.CREATE_APPLICATION], 403, 202],
    ['create at basic level', [Scope.CREATE_BASIC, Scope.CORRECT, Scope.PROMOTE], 403, 403],
    ['nothing', [], 403, 403],
  ])('of a credential that may %s', async (_what, scopes, reading, creating) => {
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
