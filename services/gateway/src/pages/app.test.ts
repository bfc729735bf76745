import { createLogger } from '@supplier/lib/log';
import { fakeGateway } from '../testing/fake-gateway.ts';
import { buildPages } from './app.ts';

const pages = (ready: boolean) => {
  const { config, submission, metrics } = fakeGateway().context;
  return buildPages({ config, submission, metrics, log: createLogger('test', 'error') }, () => ready);
};

describe('the pages listener', () => {
  it('is alive in any case, and ready when the API listens', async () => {
    for (const [ready, status] of [
      [true, 200],
      [false, 503],
    ] as const) {
      const app = pages(ready);
      expect((await app.inject('/livez')).statusCode).toBe(200);
      expect((await app.inject('/readyz')).statusCode).toBe(status);
    }
  });

  it('serves a home page and none of the API', async () => {
    const app = pages(true);
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
});
