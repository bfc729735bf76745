import { randomBytes, randomUUID } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { Environment, Level, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { JourneyLinkKind, JourneyLinkState } from '@supplier/proto/submission/v1/journey_links';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const START = '2026-11-20T10:00:00.000Z';

const service = forAllTests(() => openTestService());
beforeEach(() => service.at(START));

const supplier = (terms: SubmitOptions['terms'] & {}) => ({
  accountId: newId<AccountId>(),
  externalReference: newId(),
  terms,
  body: randomBytes(32),
});
const arriving = () => supplier({ enrolments: { arrivalScreen: true } });
const documentsFirst = () => supplier({ enrolments: { documentFirst: true } });

const accept = async (options: SubmitOptions) => {
  const { id } = await service.submit(options);
  await service.decide(id);
  return id;
};
const read = (id: SubmissionId, options: SubmitOptions) =>
  service.onBehalfOf(options).getSubmission({ submissionId: id });
const readByReference = ({ externalReference = '', ...options }: SubmitOptions) =>
  service.onBehalfOf(options).getSubmissionByReference({ externalReference });
const tokenOf = (url: string | undefined) => url?.split('/journey/')[1] ?? '';
const { PRODUCTION } = Environment;
const look = (url: string | undefined, environment = PRODUCTION) =>
  service.as('gateway').getJourneyLink({ token: tokenOf(url), environment });
const redeem = (url: string | undefined, callId?: string) =>
  service.as('gateway').redeemJourneyLink({
    token: tokenOf(url),
    environment: PRODUCTION,
    ...(callId === undefined ? {} : { callId }),
  });
const returnIt = (id: SubmissionId) =>
  service.staff.returnSubmission({
    submissionId: id,
    reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
  });
const changesOf = async (id: SubmissionId) => {
  const rows = await service.context.db.domainEvent.findMany({
    where: { aggregateId: id, type: { endsWith: 'StatusChanged' } },
    orderBy: { eventId: 'asc' },
  });
  return rows.map(({ envelope }) =>
    fromBinary(SubmissionStatusChangedSchema, fromBinary(EventEnvelopeSchema, envelope).payload),
  );
};

describe('an arrival link', () => {
  it('is returned by the create of an enrolled account, on the pages of its environment', async () => {
    const sandbox = await service.submit({ ...arriving(), environment: Environment.SANDBOX });
    expect(sandbox.arrivalScreenUrl).toMatch(/^https:\/\/sandbox\.pages\.test\/journey\/[\w-]{43}$/);
    const production = await service.submit(arriving());
    expect(production.arrivalScreenUrl).toMatch(/^https:\/\/pages\.test\/journey\/[\w-]{43}$/);
    expect(await look(production.arrivalScreenUrl)).toMatchObject({
      kind: JourneyLinkKind.ARRIVAL,
      state: JourneyLinkState.USABLE,
    });
  });

  it('is not created for accounts that are not enrolled', async () => {
    expect((await service.submit(documentsFirst())).arrivalScreenUrl).toBeUndefined();
    expect((await service.submit()).arrivalScreenUrl).toBeUndefined();
  });

  it('is the same in replays until it is used, and absent afterwards', async () => {
    const same = arriving();
    const first = await service.submit(same);
    expect(await service.submit(same)).toMatchObject({
      created: false,
      arrivalScreenUrl: first.arrivalScreenUrl,
    });
    await redeem(first.arrivalScreenUrl);
    expect((await service.submit(same)).arrivalScreenUrl).toBeUndefined();
  });

  it('returns the same result when the call that used it is repeated, even concurrently, and counts as used for others', async () => {
    const { arrivalScreenUrl } = await service.submit(arriving());
    const [mine, another] = [randomUUID(), randomUUID()];
    const calls = [redeem(arrivalScreenUrl, mine), redeem(arrivalScreenUrl, mine)];
    for (const answer of await Promise.all(calls)) expect(answer.kind).toBe(JourneyLinkKind.ARRIVAL);
    service.at('2026-11-22T10:00:00.000Z');
    expect((await redeem(arrivalScreenUrl, mine.toUpperCase())).kind).toBe(JourneyLinkKind.ARRIVAL);
    for (const callId of [another, undefined]) {
      expect((await refusalTo(redeem(arrivalScreenUrl, callId)))?.code).toBe(RefusalCode.WRONG_STATE);
    }
  });

  it('is a single link for concurrent creates', async () => {
    const same = arriving();
    const all = await Promise.all(Array.from({ length: 50 }, () => service.submit(same)));
    expect(new Set(all.map(({ arrivalScreenUrl }) => arrivalScreenUrl)).size).toBe(1);
    expect(all[0]?.arrivalScreenUrl).toBeDefined();
  });

  it('expires after 24 hours, to the millisecond', async () => {
    const same = arriving();
    const { arrivalScreenUrl } = await service.submit(same);
    service.at('2026-11-21T09:59:59.999Z');
    expect((await look(arrivalScreenUrl)).state).toBe(JourneyLinkState.USABLE);
    service.at('2026-11-21T10:00:00.000Z');
    expect((await look(arrivalScreenUrl)).state).toBe(JourneyLinkState.EXPIRED);
    expect((await refusalTo(redeem(arrivalScreenUrl)))?.code).toBe(RefusalCode.WRONG_STATE);
    expect((await service.submit(same)).arrivalScreenUrl).toBeUndefined();
  });
});

describe('a handoff link', () => {
  it('becomes available with acceptance; the decision event reports that without containing it', async () => {
    const options = documentsFirst();
    const id = await accept(options);
    const changes = await changesOf(id);
    expect(changes.map(({ change }) => change)).toEqual([StatusChange.HANDOFF_AVAILABLE]);
    expect(changes[0]?.submission?.handoff).toBeUndefined();
    const { handoff } = await read(id, options);
    expect(handoff?.customerJourneyUrl).toMatch(/^https:\/\/pages\.test\/journey\/[\w-]{43}$/);
    expect(toDate(handoff?.expiresAt ?? never()).toISOString()).toBe('2026-11-23T10:00:00.000Z');
  });

  it('is absent when the account is not enrolled, and before the decision', async () => {
    const plain = supplier({ enrolments: { arrivalScreen: true } });
    const id = await accept(plain);
    expect((await read(id, plain)).handoff).toBeUndefined();
    expect((await changesOf(id)).map(({ change }) => change)).toEqual([StatusChange.DECIDED]);
    const waiting = documentsFirst();
    const { id: undecided } = await service.submitUndecided(waiting);
    expect((await read(undecided, waiting)).handoff).toBeUndefined();
    expect(await service.context.db.journeyLink.count({ where: { submissionId: undecided } })).toBe(0);
  });

  it('stays the same while it works, in every kind of response', async () => {
    const options = documentsFirst();
    const id = await accept(options);
    const { handoff } = await read(id, options);
    expect((await read(id, options)).handoff).toEqual(handoff);
    expect((await readByReference(options)).handoff).toEqual(handoff);
    expect((await service.submit(options)).submission.handoff).toEqual(handoff);
  });

  it.each([
    ['used', (url: string) => redeem(url)],
    ['expired', async () => service.at('2026-11-23T10:00:00.000Z')],
  ])('is renewed by a read by id when it is %s, without an event, and by no other read', async (_, end) => {
    const options = documentsFirst();
    const id = await accept(options);
    const first = (await read(id, options)).handoff?.customerJourneyUrl ?? '';
    await end(first);
    expect((await readByReference(options)).handoff).toBeUndefined();
    expect((await service.submit(options)).submission.handoff).toBeUndefined();
    const all = await Promise.all(Array.from({ length: 20 }, () => read(id, options)));
    const urls = new Set(all.map(({ handoff }) => handoff?.customerJourneyUrl));
    expect(urls.size).toBe(1);
    expect(urls).not.toContain(first);
    expect(urls).not.toContain(undefined);
    expect(await service.context.db.journeyLink.count({ where: { submissionId: id } })).toBe(2);
    expect(await changesOf(id)).toHaveLength(1);
    expect((await readByReference(options)).handoff).toEqual(all[0]?.handoff);
  });

  it('emits one event when a read creates the first link', async () => {
    const options = documentsFirst();
    const id = await accept(options);
    await service.context.db.journeyLink.deleteMany({ where: { submissionId: id } });
    await Promise.all(Array.from({ length: 10 }, () => read(id, options)));
    expect(await changesOf(id)).toHaveLength(2);
  });

  it('is returned by a basic create that is accepted immediately, which has no arrival link', async () => {
    const options = supplier({ enrolments: { documentFirst: true, arrivalScreen: true } });
    const { id, submission, arrivalScreenUrl } = await service.submit({ ...options, level: Level.BASIC });
    expect(submission.handoff).toBeDefined();
    expect((await read(id, options)).handoff).toEqual(submission.handoff);
    expect(arrivalScreenUrl).toBeUndefined();
    expect((await changesOf(id)).map(({ change }) => change)).toEqual([StatusChange.HANDOFF_AVAILABLE]);
  });

  it('is visible to the webhook service while it works for the supplier, and never to staff', async () => {
    const options = documentsFirst();
    const id = await accept(options);
    const owner = { accountId: options.accountId, environment: PRODUCTION };
    const staffSee = () => service.staff.getSubmission({ submissionId: id });
    const webhookSees = () => service.as('webhook').getSubmission({ submissionId: id, owner });
    expect(await webhookSees()).toEqual(await read(id, options));
    expect((await staffSee()).handoff).toBeUndefined();
    await redeem((await read(id, options)).handoff?.customerJourneyUrl);
    expect((await staffSee()).handoff).toBeUndefined();
    expect((await webhookSees()).handoff).toBeUndefined();
    expect(await service.context.db.journeyLink.count({ where: { submissionId: id } })).toBe(1);
    const fresh = (await read(id, options)).handoff;
    expect((await webhookSees()).handoff).toEqual(fresh);
  });

  it('is not visible to the webhook service for a different owner, or without one', async () => {
    const { accountId } = documentsFirst();
    const options = documentsFirst();
    const id = await accept(options);
    for (const owner of [
      { accountId, environment: PRODUCTION },
      { accountId: options.accountId, environment: Environment.SANDBOX },
    ]) {
      const asked = service.as('webhook').getSubmission({ submissionId: id, owner });
      expect((await refusalTo(asked))?.code).toBe(RefusalCode.NOT_FOUND);
    }
    const othersSubmission = service.as('webhook').getSubmission({ submissionId: id });
    expect((await refusalTo(othersSubmission))?.code).toBe(RefusalCode.NOT_FOUND);
  });
});

describe('redemption', () => {
  it('succeeds once in 50 concurrent calls', async () => {
    const { arrivalScreenUrl } = await service.submit(arriving());
    const all = await Promise.all(
      Array.from({ length: 50 }, () => redeem(arrivalScreenUrl).then(() => 'won', refusalOf)),
    );
    expect(all.filter((one) => one === 'won')).toHaveLength(1);
    expect(all.filter((one) => typeof one === 'object' && one.code === RefusalCode.WRONG_STATE)).toHaveLength(
      49,
    );
    expect((await look(arrivalScreenUrl)).state).toBe(JourneyLinkState.USED);
  });

  it('is not triggered by reading the link', async () => {
    const { arrivalScreenUrl } = await service.submit(arriving());
    await Promise.all(Array.from({ length: 20 }, () => look(arrivalScreenUrl)));
    expect(await redeem(arrivalScreenUrl)).toMatchObject({ kind: JourneyLinkKind.ARRIVAL });
  });

  it('is rejected for a token that was never issued', async () => {
    expect((await refusalTo(redeem('/journey/nobody')))?.code).toBe(RefusalCode.NOT_FOUND);
    expect((await refusalTo(look('/journey/nobody')))?.code).toBe(RefusalCode.NOT_FOUND);
  });

  it('is impossible after a return, and no new link is created', async () => {
    const options = supplier({ enrolments: { documentFirst: true, arrivalScreen: true } });
    const { arrivalScreenUrl } = await service.submit(options);
    const id = await accept(options);
    const url = (await read(id, options)).handoff?.customerJourneyUrl;
    await returnIt(id);
    for (const link of [url, arrivalScreenUrl]) {
      expect((await look(link)).state).toBe(JourneyLinkState.ENDED);
      expect((await refusalTo(redeem(link)))?.code).toBe(RefusalCode.WRONG_STATE);
    }
    expect((await read(id, options)).handoff).toBeUndefined();
    expect((await service.submit(options)).arrivalScreenUrl).toBeUndefined();
    expect(await service.context.db.journeyLink.count({ where: { submissionId: id } })).toBe(2);
  });

  it('is consistent with a concurrent return: one of them comes first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const options = documentsFirst();
      const id = await accept(options);
      const url = (await read(id, options)).handoff?.customerJourneyUrl;
      const [won] = await Promise.all([
        redeem(url).then(
          () => true,
          () => false,
        ),
        returnIt(id),
      ]);
      expect((await look(url)).state).toBe(won ? JourneyLinkState.USED : JourneyLinkState.ENDED);
    }
  });
});

it('the database contains no readable journey token', async () => {
  const options = supplier({ enrolments: { documentFirst: true, arrivalScreen: true } });
  const { arrivalScreenUrl } = await service.submit(options);
  const id = await accept(options);
  const tokens = [arrivalScreenUrl, (await read(id, options)).handoff?.customerJourneyUrl].map(tokenOf);
  for (const table of ['journey_link', 'domain_event', 'submission', 'application', 'audit_entry']) {
    const { rows } = await service.context.pool.query(`SELECT t.* FROM ${table} t`);
    const columns = rows.flatMap((row) => Object.values(row).map(String));
    for (const token of tokens) {
      expect(token).toHaveLength(43);
      expect(columns.some((text) => text.includes(token))).toBe(false);
    }
  }
});

function never(): never {
  throw new Error('there is an expiry');
}
