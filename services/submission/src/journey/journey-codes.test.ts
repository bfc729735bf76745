import { randomBytes, randomUUID } from 'node:crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { JourneyLinkKind, JourneyLinkState } from '@supplier/proto/submission/v1/journey_links';
import { openTestService } from '../../testing/test-service.ts';

const START = '2026-11-20T10:00:00.000Z';
const { SANDBOX, PRODUCTION } = Environment;

const service = forAllTests(() => openTestService());
beforeEach(() => service.at(START));

type Served = Environment.SANDBOX | Environment.PRODUCTION;

/** Creates a submission with a usable arrival link, and returns the link's token. */
async function arrival(environment: Served = PRODUCTION) {
  const accountId = newId<AccountId>();
  const terms = { enrolments: { arrivalScreen: true } };
  const { id, arrivalScreenUrl = '' } = await service.submit({ accountId, environment, terms });
  return { id, accountId, environment, token: arrivalScreenUrl.split('/journey/')[1] ?? '' };
}
const redeem = (link: { token: string; environment: Served }, callId?: string) =>
  service.as('gateway').redeemJourneyLink({ ...link, ...(callId ? { callId } : {}) });
const exchange = (code: string) => service.as('journey').exchangeJourneyCode({ code });
const newCode = async () => (await redeem(await arrival())).code;
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => ({ code: refusalOf(error)?.code, message: String(error) }),
  );

describe('the code from a used link', () => {
  it.each([SANDBOX, PRODUCTION] as const)(
    'is exchanged for the submission, its account, its environment (%s) and the kind of the link',
    async (environment) => {
      const link = await arrival(environment);
      const { code } = await redeem(link);
      expect(code).toMatch(/^[\w-]{43}$/);
      expect(code).not.toBe(link.token);
      expect(await exchange(code)).toMatchObject({
        submissionId: link.id,
        accountId: link.accountId,
        environment,
        kind: JourneyLinkKind.ARRIVAL,
      });
    },
  );

  it('identifies a handoff link', async () => {
    const terms = { enrolments: { documentFirst: true } };
    const options = { accountId: newId<AccountId>(), externalReference: newId(), terms };
    const { id } = await service.submit({ ...options, body: randomBytes(32) });
    await service.decide(id);
    const { handoff } = await service.onBehalfOf(options).getSubmission({ submissionId: id });
    const token = handoff?.customerJourneyUrl.split('/journey/')[1] ?? '';
    const { code } = await redeem({ token, environment: PRODUCTION });
    expect(await exchange(code)).toMatchObject({ submissionId: id, kind: JourneyLinkKind.HANDOFF });
  });

  it('works for 60 seconds, to the millisecond', async () => {
    const [inTime, late] = [await newCode(), await newCode()];
    service.at('2026-11-20T10:00:59.999Z');
    expect(await exchange(inTime)).toMatchObject({ kind: JourneyLinkKind.ARRIVAL });
    service.at('2026-11-20T10:01:00.000Z');
    expect((await refusal(exchange(late)))?.code).toBe(RefusalCode.NOT_FOUND);
  });

  it('is rejected with the same error whether it is wrong, used or expired', async () => {
    const [used, expired] = [await newCode(), await newCode()];
    await exchange(used);
    const { token } = await arrival();
    const again = await refusal(exchange(used));
    const wrong = await refusal(exchange(randomBytes(32).toString('base64url')));
    const notACode = await refusal(exchange(token));
    service.at('2026-11-20T10:02:00.000Z');
    const over = await refusal(exchange(expired));
    expect(again?.message).toContain('once, for 60 seconds');
    expect([wrong, notACode, over]).toEqual([again, again, again]);
  });

  it('succeeds once in 50 concurrent exchanges', async () => {
    const code = await newCode();
    const all = await Promise.all(Array.from({ length: 50 }, () => refusal(exchange(code))));
    expect(all.filter((refused) => refused === undefined)).toHaveLength(1);
    expect(all.filter((refused) => refused?.code === RefusalCode.NOT_FOUND)).toHaveLength(49);
  });

  it('is the same when the call that used the link is repeated, even concurrently', async () => {
    const link = await arrival();
    const callId = randomUUID();
    const answers = await Promise.all([redeem(link, callId), redeem(link, callId.toUpperCase())]);
    const codes = new Set(answers.map(({ code }) => code));
    expect(codes.size).toBe(1);
    const [code = ''] = codes;
    expect(await exchange(code)).toMatchObject({ submissionId: link.id });
    expect((await redeem(link, callId)).code).toBe(code);
    expect((await refusal(exchange(code)))?.code).toBe(RefusalCode.NOT_FOUND);
  });

  it('is not readable in the database', async () => {
    const code = await newCode();
    const { rows } = await service.context.pool.query(
      'SELECT encode(code_digest, $1) AS digest, l.* FROM journey_link l',
      ['base64'],
    );
    const columns = rows.flatMap((row) => Object.values(row).map(String));
    expect(columns.filter((text) => text.includes(code))).toEqual([]);
  });
});

describe('a link of one environment', () => {
  it.each([
    [SANDBOX, PRODUCTION],
    [PRODUCTION, SANDBOX],
  ] as const)('(%s) is unknown to the pages of the other (%s), which do not use it up', async (of, at) => {
    const link = await arrival(of);
    const there = { token: link.token, environment: at };
    const look = service.as('gateway').getJourneyLink(there);
    expect((await refusal(look))?.code).toBe(RefusalCode.NOT_FOUND);
    expect((await refusal(redeem(there)))?.code).toBe(RefusalCode.NOT_FOUND);
    const { state } = await service.as('gateway').getJourneyLink({ token: link.token, environment: of });
    expect(state).toBe(JourneyLinkState.USABLE);
    const { code } = await redeem(link);
    expect(await exchange(code)).toMatchObject({ environment: of });
  });
});
