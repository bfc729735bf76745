import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import {
  JourneyLinkKind,
  JourneyLinkSchema,
  JourneyLinkState,
  RedeemJourneyLinkResponseSchema,
} from '@supplier/proto/submission/v1/journey_links';
import { buildPages } from '../pages/pages-app.ts';
import { fakeGateway, type RecordedCall } from '../testing/fake-gateway.ts';

const TOKEN = 'k3Yc0wq7Zr9TnB4xUe2LsVh8JdFm6PaGiQo1XyRtCbE';
const URL = `/journey/${TOKEN}`;
const JOURNEY = 'https://journey.test/start?from=link';

const link = (state: JourneyLinkState, kind = JourneyLinkKind.HANDOFF) =>
  create(JourneyLinkSchema, { kind, state, expiresAt: toTimestamp(new Date('2026-07-23T10:00:00Z')) });

/** Builds the pages over a fake submission service with these responses. */
function pagesWith(answers: { look?: () => unknown; redeem?: () => unknown }, env?: Record<string, string>) {
  const gateway = fakeGateway({ ...(env ? { env } : {}) });
  gateway.answer = ({ name }: RecordedCall) =>
    name === 'getJourneyLink' ? answers.look?.() : answers.redeem?.();
  const names = () => gateway.calls.map(({ name }) => name);
  return { app: buildPages(gateway.context), gateway, names };
}
const usable = () => link(JourneyLinkState.USABLE);
const CODE = 'Zk3Yc0wq7r9TnB4xUe2LsVh8JdFm6PaGiQo1XyRtCb_';
const redeemed = () => create(RedeemJourneyLinkResponseSchema, { kind: JourneyLinkKind.HANDOFF, code: CODE });
const closed = () => {
  throw refuse(RefusalCode.WRONG_STATE, 'This link no longer works.');
};
const unknown = () => {
  throw refuse(RefusalCode.NOT_FOUND, 'There is no such link.');
};
const unavailable = () => {
  throw new ConnectError('the called service cannot be reached', Code.Unavailable);
};

describe('opening a journey link', () => {
  it.each(['GET', 'HEAD'] as const)('shows the page by %s without redeeming the link', async (method) => {
    const { app, names } = pagesWith({ look: usable });
    const answer = await app.inject({ method, url: URL });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(names()).toEqual(['getJourneyLink']);
    expect(answer.body.includes('<form method="post">')).toBe(method === 'GET');
    if (method === 'HEAD') expect(answer.body).toBe('');
  });

  it.each(['GET', 'HEAD'] as const)(
    'sends the page by %s complete, uncached and without a validator',
    async (method) => {
      const { app, names } = pagesWith({ look: usable });
      const headers = { 'if-none-match': '*', 'accept-encoding': 'br, gzip' };
      const answer = await app.inject({ method, url: URL, headers });
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      for (const name of ['etag', 'last-modified', 'content-encoding', 'vary'])
        expect(answer.headers).not.toHaveProperty(name);
      expect(names()).toEqual(['getJourneyLink']);
    },
  );

  it.each(['GET', 'HEAD', 'POST'] as const)(
    'makes no call by %s for a path with a trailing slash',
    async (method) => {
      const { app, names } = pagesWith({ look: usable, redeem: redeemed });
      const answer = await app.inject({ method, url: `${URL}/` });
      expect([answer.statusCode, answer.headers.location, names()]).toEqual([404, undefined, []]);
    },
  );

  it('shows the expiry for links of every kind', async () => {
    for (const kind of [JourneyLinkKind.ARRIVAL, JourneyLinkKind.HANDOFF]) {
      const { app } = pagesWith({ look: () => link(JourneyLinkState.USABLE, kind) });
      expect((await app.inject(URL)).body).toContain(
        '<time datetime="2026-07-23T10:00:00.000Z">23 July 2026 at 10:00 UTC</time>',
      );
    }
  });

  it.each([
    [JourneyLinkState.USED, 'has been used'],
    [JourneyLinkState.EXPIRED, 'has expired'],
    [JourneyLinkState.ENDED, 'has ended'],
  ])('returns 410 without a button for a closed link (%s)', async (state, text) => {
    const answer = await pagesWith({ look: () => link(state) }).app.inject(URL);
    expect(answer.statusCode).toBe(410);
    expect(answer.body).toContain(text);
    expect(answer.body).not.toContain('<form');
  });

  it('returns 404 for a link that was never issued', async () => {
    const answer = await pagesWith({ look: unknown }).app.inject(URL);
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it.each(['a', 'x'.repeat(129), `${TOKEN}%00`, '%3Cscript%3E', `${TOKEN}.`, 'x'.repeat(5_000)])(
    'makes no call for an impossible token: %.20s',
    async (token) => {
      const { app, names } = pagesWith({});
      for (const method of ['GET', 'POST'] as const) {
        const answer = await app.inject({ method, url: `/journey/${token}` });
        expect(answer.statusCode).toBe(404);
        expect(answer.body).not.toContain('script>');
      }
      expect(names()).toEqual([]);
    },
  );
});

describe('using a journey link', () => {
  it('redirects to the journey application with a code and no other customer data', async () => {
    const { app, gateway, names } = pagesWith({ redeem: redeemed }, { SSS_JOURNEY_URL: JOURNEY });
    const answer = await app.inject({ method: 'POST', url: URL });
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(`${JOURNEY}&code=${CODE}`);
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(names()).toEqual(['redeemJourneyLink']);
    expect(gateway.calls[0]?.request).toEqual({
      token: TOKEN,
      environment: Environment.SANDBOX,
      callId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(gateway.logLines.join()).not.toContain(CODE);
  });

  it('shows a confirmation without a journey application and accepts the form as sent by a browser', async () => {
    const { app } = pagesWith({ redeem: redeemed });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await app.inject({ method: 'POST', url: URL, headers, payload: '' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('Thank you');
  });

  it('explains why a closed link does not work and does not redirect', async () => {
    const answers = { redeem: closed, look: () => link(JourneyLinkState.USED) };
    const answer = await pagesWith(answers, { SSS_JOURNEY_URL: JOURNEY }).app.inject({
      method: 'POST',
      url: URL,
    });
    expect(answer.statusCode).toBe(410);
    expect(answer.headers).not.toHaveProperty('location');
  });

  it('returns 404 for a link that was never issued when redeemed', async () => {
    const { app } = pagesWith({ redeem: unknown, look: unknown });
    expect((await app.inject({ method: 'POST', url: URL })).statusCode).toBe(404);
  });

  it('rejects a body that the form cannot have', async () => {
    const { app, names } = pagesWith({ redeem: redeemed });
    const answer = await app.inject({ method: 'POST', url: URL, payload: 'x'.repeat(2_000) });
    expect(answer.statusCode).toBe(413);
    expect(names()).toEqual([]);
  });

  it.each(['PUT', 'DELETE', 'PATCH'] as const)('rejects %s', async (method) => {
    const { app, names } = pagesWith({ redeem: redeemed });
    expect((await app.inject({ method, url: URL })).statusCode).toBe(404);
    expect(names()).toEqual([]);
  });
});

describe('journey pages in production', () => {
  const production = { SSS_ENVIRONMENT: 'production', SSS_JOURNEY_URL: JOURNEY };

  it.each(['GET', 'HEAD', 'POST'] as const)(
    'return 503 for %s and make no call while production is closed',
    async (method) => {
      const { app, names } = pagesWith({ look: usable, redeem: redeemed }, production);
      const answer = await app.inject({ method, url: URL });
      expect(answer.statusCode).toBe(503);
      expect(answer.headers).toMatchObject({
        'retry-after': '5',
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      });
      expect(answer.headers).not.toHaveProperty('location');
      expect(names()).toEqual([]);
    },
  );

  it('use production links once production is enabled', async () => {
    const open = { ...production, SSS_PRODUCTION_ENABLED: 'true' };
    const { app, gateway } = pagesWith({ look: usable, redeem: redeemed }, open);
    expect((await app.inject({ method: 'GET', url: URL })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url: URL })).statusCode).toBe(303);
    const asked = gateway.calls.map(({ request }) => request);
    for (const request of asked) expect(request).toMatchObject({ environment: Environment.PRODUCTION });
    expect(asked).toHaveLength(2);
  });
});

describe('every journey page', () => {
  it('is not cached, runs no scripts, cannot be framed and sends no referrer', async () => {
    for (const [method, answers] of [
      ['GET', { look: usable }],
      ['GET', { look: closed }],
      ['GET', { look: unknown }],
      ['POST', { redeem: redeemed }],
      ['POST', { redeem: closed, look: () => link(JourneyLinkState.USED) }],
      ['GET', { look: unavailable }],
    ] as const) {
      const { headers, body } = await pagesWith(answers).app.inject({ method, url: URL });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toMatch(/form-action 'self';/);
      expect(policy).not.toContain('unsafe');
      expect(body).not.toMatch(/<script|https?:|javascript:/);
      expect(body).not.toContain(TOKEN);
      expect(headers).toHaveProperty('x-request-id');
    }
  });

  it('lets its form redirect only to the journey application', async () => {
    const { app } = pagesWith({ look: usable }, { SSS_JOURNEY_URL: JOURNEY });
    const { headers } = await app.inject(URL);
    expect(headers['content-security-policy']).toContain("form-action 'self' https://journey.test;");
  });

  it('returns a 503 page while the submission service is unavailable and logs no token', async () => {
    const { app, gateway } = pagesWith({ look: unavailable, redeem: unavailable });
    for (const method of ['GET', 'POST'] as const) {
      const answer = await app.inject({ method, url: URL });
      expect(answer.statusCode).toBe(503);
      expect(answer.headers).toMatchObject({
        'retry-after': '5',
        'content-type': 'text/html; charset=utf-8',
      });
    }
    expect(gateway.logLines.filter((line) => line.includes('dependency unavailable'))).toHaveLength(2);
    expect(gateway.logLines.join()).not.toContain(TOKEN);
  });
});
