import { createLogger } from '@supplier/lib/runtime/log';
import { inProcessLimiter } from '../limits/in-process-limiter.ts';
import { buildOpenApi } from '../openapi/document.ts';
import { operations } from '../operations.ts';
import { fakeGateway } from '../testing/fake-gateway.ts';
import { buildPages } from './pages-app.ts';

const pages = () => buildPages({ ...fakeGateway().context, log: createLogger('test', 'error') });

describe('the pages listener', () => {
  it('serves the OpenAPI document of this gateway and no API operation', async () => {
    const app = pages();
    const document = await app.inject('/openapi.json');
    expect(document.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(document.headers).toHaveProperty('x-request-id');
    expect(document.json()).toEqual(
      JSON.parse(JSON.stringify(buildOpenApi(operations, 'screening_provider'))),
    );
    for (const url of ['/v1/supplier-submissions', '/%zz', '/nowhere']) {
      const answer = await app.inject(url);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers).toHaveProperty('x-request-id');
      expect(answer.json().error.code).toBe('not_found');
    }
  });

  it('applies the same address limits as the API, counted separately', async () => {
    const check = inProcessLimiter();
    const gateway = fakeGateway({
      env: { SSS_ADDRESS_PER_MINUTE: '2' },
      checkLimit: async (limit) => check(limit),
    });
    const app = buildPages(gateway.context);
    const statuses: number[] = [];
    for (const url of ['/openapi.json', '/journey/x', '/openapi.json', '/journey/x'])
      statuses.push((await app.inject(url)).statusCode);
    expect(statuses).toEqual([200, 404, 429, 429]);
    expect((await gateway.app.inject('/')).statusCode).toBe(404);
  });

  it('logs one line per response, without the path', async () => {
    const gateway = fakeGateway();
    const app = buildPages(gateway.context);
    await app.inject('/openapi.json?name=secret');
    await app.inject('/journey/secret');
    const lines = gateway.logLines.map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({
        listener: 'pages',
        route: '/openapi.json',
        status: 200,
        outcome: 'ok',
        address: '127.0.0.1',
      }),
      expect.objectContaining({
        listener: 'pages',
        route: '/journey/:token',
        status: 404,
        outcome: 'refused',
      }),
    ]);
    expect(gateway.logLines.join()).not.toContain('secret');
  });

  it.each(['/openapi.json', '/nowhere', '/journey/x', '/%zz'])(
    'sets the browser security headers on every response: %s',
    async (url) => {
      const { headers } = await pages().inject(url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': expect.stringMatching(/^no-store$|^public, max-age=300$/),
      });
    },
  );

  it('does not expose health or metrics', async () => {
    for (const url of ['/livez', '/readyz', '/metrics']) {
      expect((await pages().inject(url)).statusCode).toBe(404);
    }
  });
});
