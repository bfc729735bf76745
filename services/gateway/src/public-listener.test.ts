import { createLogger } from '@supplier/lib/runtime/log';
import { buildPages } from './pages/pages-app.ts';
import { fakeGateway } from './testing/fake-gateway.ts';
import { exchangeRaw } from './testing/raw-client.ts';

const log = createLogger('test', 'fatal');
const listeners = {
  API: (env: Record<string, string>) => fakeGateway({ env }).app,
  pages: (env: Record<string, string>) => buildPages({ ...fakeGateway({ env }).context, log }),
};

/** Responses of routes, hooks and the framework, and those written to a bare socket. */
const ANSWERS = [
  ['GET / HTTP/1.1', /^(200|404)$/],
  ['GET /nowhere HTTP/1.1', /^404$/],
  ['POST /v1/supplier-submissions HTTP/1.1', /^(401|404)$/],
  ['GET /%ff HTTP/1.1', /^(400|404)$/],
  [`GET /${'a'.repeat(20_000)} HTTP/1.1`, /^400$/],
  ['noise', /^400$/],
  ['CONNECT x:1 HTTP/1.1', /^404$/],
] as const;

describe.each(Object.entries(listeners))('public listener of the %s', (_name, build) => {
  async function answersWith(env: Record<string, string>): Promise<(string | undefined)[]> {
    const app = build(env);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const seen: (string | undefined)[] = [];
    for (const [head, expected] of ANSWERS) {
      const answer = await exchangeRaw(app.server, `${head}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]).toMatch(expected);
      seen.push(/\r\nstrict-transport-security: ([^\r]*)\r\n/i.exec(answer)?.[1]);
    }
    await app.close();
    return seen;
  }

  it('sends Strict-Transport-Security with every response, including errors and malformed requests', async () => {
    expect(await answersWith({ SSS_HSTS_MAX_AGE_SECONDS: '31536000' })).toEqual(
      ANSWERS.map(() => 'max-age=31536000'),
    );
  });

  it('omits Strict-Transport-Security when it is turned off and in a local stack', async () => {
    const nothing = ANSWERS.map(() => undefined);
    expect(await answersWith({ SSS_HSTS_MAX_AGE_SECONDS: '0' })).toEqual(nothing);
    expect(await answersWith({})).toEqual(nothing);
  });
});
