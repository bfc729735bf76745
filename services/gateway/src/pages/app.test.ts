import { createLogger } from '@supplier/lib/log';
import { inProcessLimiter } from '../limits/in-process-limiter.ts';
import { fakeGateway } from '../testing/fake-gateway.ts';
import { buildPages } from './app.ts';

const pages = () => buildPages({ ...fakeGateway().context, log: createLogger('test', 'error') });

describe('the pages listener', () => {
  it('serves a home page and none of the API', async () => {
    const app = pages();
    const home = await app.inject('/');
    expect(home.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(home.headers).toHaveProperty('x-request-id');
    for (const url of ['/v1/supplier-submissions', '/%zz', '/nowhere']) {
      const answer = await app.inject(url);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers).toHaveProperty('x-request-id');
      expect(answer.json().error.code).toBe('not_found');
    }
  });

  it('has the limits of the API by address, counted apart', async () => {
    const check = inProcessLimiter();
    const gateway = fakeGateway({
      env: { SSS_ADDRESS_PER_MINUTE: '2' },
      checkLimit: async (limit) => check(limit),
    });
    const app = buildPages(gateway.context);
    const statuses: number[] = [];
    for (const url of ['/', '/docs', '/', '/journey/x']) statuses.push((await app.inject(url)).statusCode);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await gateway.app.inject('/')).statusCode).toBe(404);
  });

  it('writes one line per answer, without the path', async () => {
    const gateway = fakeGateway();
    const app = buildPages(gateway.context);
    await app.inject('/docs?name=secret');
    await app.inject('/journey/secret');
    const lines = gateway.logLines.map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({
        listener: 'pages',
        route: '/docs',
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

  it.each(['/', '/docs', '/openapi.json', '/nowhere', '/journey/x', '/%zz'])(
    'tells browsers what to make of every answer: %s',
    async (url) => {
      const { headers } = await pages().inject(url);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': expect.stringMatching(/^no-store$|^public, max-age=300$/),
      });
    },
  );

  it('says nothing about the health of the process', async () => {
    for (const url of ['/livez', '/readyz', '/metrics']) {
      expect((await pages().inject(url)).statusCode).toBe(404);
    }
  });
});
