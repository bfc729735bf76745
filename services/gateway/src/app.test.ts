import { Scope } from '@supplier/proto/common/v1/principal';
import { createRequest, fakeGateway, SUBMISSION_ID } from './testing/fake-gateway.ts';
import { sampleBody } from './testing/sample-body.ts';

const tooLarge = Buffer.alloc(65_537, ' ');

describe('order of checks', () => {
  it('checks credential, scope, media type, size, JSON and schema in this order', async () => {
    const gateway = fakeGateway();
    const statusOf = async (changes: object) => {
      const request = createRequest(gateway, tooLarge);
      return (await gateway.app.inject({ ...request, ...changes })).statusCode;
    };
    const { headers } = createRequest(gateway, '');
    expect(await statusOf({ headers: { 'content-type': 'text/plain' } })).toBe(401);
    expect(await statusOf({ headers: { ...headers, 'content-type': 'text/plain' } })).toBe(400);
    expect(await statusOf({})).toBe(413);
    expect(await statusOf({ payload: '{"level":1,' })).toBe(400);
    expect(await statusOf({ payload: '{"level":1}' })).toBe(422);
    expect(gateway.calls).toEqual([]);

    const reader = fakeGateway({ scopes: [Scope.READ] });
    const answer = await reader.app.inject({ ...createRequest(reader, tooLarge) });
    expect(answer.statusCode).toBe(403);
  });
});

describe('request ids', () => {
  const { app } = fakeGateway();

  it.each(['a', 'x'.repeat(128), '!"#$~', '01890000-0000-7000-8000-000000000001'])(
    'echoes %s',
    async (id) => {
      expect((await app.inject({ url: '/', headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(
        id,
      );
    },
  );

  it.each(['', 'x'.repeat(129), 'a b', 'a\tb', 'é', 'a\u007f'])(
    'replaces "%s" with a new UUID',
    async (id) => {
      const { headers, statusCode } = await app.inject({ url: '/', headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(statusCode).toBe(404);
    },
  );

  it('are returned once with responses of every kind', async () => {
    const gateway = fakeGateway();
    const good = createRequest(gateway, sampleBody());
    const { authorization } = good.headers;
    for (const [request, status] of [
      [good, 202],
      [{ ...good, payload: '{' }, 400],
      [{ ...good, headers: {} }, 401],
      [{ url: '/nowhere' }, 404],
      [{ url: '/v1/%zz' }, 404],
      [{ ...good, payload: tooLarge }, 413],
      [{ ...good, payload: '{}' }, 422],
      [{ url: `/v1/supplier-submissions/${SUBMISSION_ID}`, headers: { authorization } }, 200],
    ] as const) {
      const headers = { ...('headers' in request ? request.headers : {}), 'x-request-id': 'mine' };
      const answer = await gateway.app.inject({ ...request, headers });
      expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([status, 'mine']);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('are forwarded to services if they are UUIDs; others are replaced by a generated id, which the log names', async () => {
    const ours = '01890000-0000-7000-8000-000000000001';
    const gateway = fakeGateway();
    const { headers, ...request } = createRequest(gateway, sampleBody());
    const send = (id: string) =>
      gateway.app.inject({ ...request, headers: { ...headers, 'x-request-id': id } });
    await send(ours);
    const answer = await send('ada@example.com');
    expect(answer.headers['x-request-id']).toBe('ada@example.com');
    const [first, second] = gateway.calls.map(({ requestId }) => requestId);
    expect(first).toBe(ours);
    expect(second).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const lines = gateway.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines[0]).not.toHaveProperty('inner_request_id');
    expect(lines[1]).toMatchObject({ request_id: 'ada@example.com', inner_request_id: second });
  });

  it('appear in the log line of the request, with its account', async () => {
    const gateway = fakeGateway();
    const { headers, ...request } = createRequest(gateway, sampleBody());
    await gateway.app.inject({ ...request, headers: { ...headers, 'x-request-id': 'mine' } });
    const lines = gateway.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'POST',
        route: '/v1/supplier-submissions',
        status: 202,
        duration_ms: expect.any(Number),
        request_id: 'mine',
        account_id: gateway.credential.accountId,
      }),
    ]);
  });
});

describe('unknown paths and methods', () => {
  const gateway = fakeGateway();

  it.each([
    ['GET', '/', undefined],
    ['GET', '/v1/supplier-submissions/', undefined],
    ['GET', '/livez', undefined],
    ['GET', '/readyz', undefined],
    ['POST', '/v2/supplier-submission', undefined],
    ['PUT', '/v1/supplier-submissions//promotion', undefined],
    ['PUT', '/v1/supplier-submissions', 'GET, POST'],
    ['PUT', '/v1/%73upplier-submissions', 'GET, POST'],
    ['DELETE', `/v1/supplier-submissions/${SUBMISSION_ID}`, 'GET'],
    ['POST', '/v1/supplier-submissions/x', 'GET'],
    ['OPTIONS', '/v1/supplier-submissions', 'GET, POST'],
    ['HEAD', '/v1/supplier-submissions?external_reference=x', 'GET, POST'],
    ['PATCH', '/v1/supplier-submissions?x', 'GET, POST'],
  ] as const)('returns 404 for %s %s, with Allow %s', async (method, url, allow) => {
    const answer = await gateway.app.inject({
      method,
      url,
      headers: { 'content-type': 'x;;/' },
      payload: 'x',
    });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers.allow).toBe(allow);
    if (method === 'HEAD') return;
    expect(answer.json().error.code).toBe('not_found');
    if (allow) expect(answer.json().error.message).toBe(`Use ${allow.replace(', ', ' or ')} with this path.`);
  });

  it.each([
    ['GET', '/v1/supplier-submissions/?external_reference=x', 'Remove the slash at the end of the path.'],
    [
      'POST',
      `/v1/supplier-submissions/${SUBMISSION_ID}/promotion/`,
      'Remove the slash at the end of the path.',
    ],
    ['POST', '/supplier-submissions', 'This path starts with /v1.'],
    ['POST', '/v3/supplier-submissions', 'This path starts with /v1.'],
    ['GET', `/v2/supplier-submissions/${SUBMISSION_ID}`, 'This path starts with /v1.'],
    ['GET', '/v1/supplier-submissions/a%2Fb', 'Not found. Check the path, id or reference.'],
    ['GET', '/docs', 'Not found. Check the path, id or reference.'],
  ] as const)('returns 404 for %s %s with the message: %s', async (method, url, message) => {
    const answer = await gateway.app.inject({ method, url });
    expect([answer.statusCode, answer.json().error]).toEqual([404, { code: 'not_found', message }]);
    expect(answer.headers.allow).toBeUndefined();
  });
});

describe('a closed production gateway', () => {
  const env = { SSS_ENVIRONMENT: 'production' };

  it.each(['/', '/v1/supplier-submissions', '/v1/%zz'])(
    'returns 503 for %s before any other check',
    async (url) => {
      const answer = await fakeGateway({ env }).app.inject({ url, headers: { 'x-request-id': 'mine' } });
      expect(answer.statusCode).toBe(503);
      expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'retry-after': expect.any(String) });
      expect(answer.json().error.code).toBe('service_unavailable');
    },
  );

  it('serves requests once production is enabled', async () => {
    const { app } = fakeGateway({ env: { ...env, SSS_PRODUCTION_ENABLED: 'true' } });
    expect((await app.inject('/v1/supplier-submissions')).statusCode).toBe(401);
  });
});

describe('requests in flight', () => {
  it('are limited: an excess request gets 503 immediately, and places are freed afterwards', async () => {
    const gateway = fakeGateway({ maxInFlight: 2 });
    const { answer } = gateway;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateway.answer = async (call) => {
      await held;
      return answer(call);
    };
    const send = () => gateway.app.inject(createRequest(gateway, sampleBody())).then((a) => a.statusCode);
    const working = [send(), send()];
    await new Promise(setImmediate);
    expect(await send()).toBe(503);
    release();
    expect(await Promise.all(working)).toEqual([202, 202]);
    for (const _ of [1, 2, 3, 4]) expect(await gateway.app.inject('/').then((a) => a.statusCode)).toBe(404);
    expect(await send()).toBe(202);
  });
});
