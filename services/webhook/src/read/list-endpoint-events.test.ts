import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { DeliveryState, EventChange } from '@supplier/proto/webhook/v1/webhook';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recordDue } from '../../testing/test-engine.ts';
import { openTestService, START, startTestServer } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import { interrupted } from '../model/attempt.ts';
import { fingerprintOf } from '../model/signing.ts';
import { answerHeadAad } from '../store/sealed-values.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';

const { SANDBOX, PRODUCTION } = Environment;
const { PENDING, DELIVERED, DROPPED } = DeliveryState;
const at = (ms: number) => new Date(START.getTime() + ms);

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => service.clock.set(START));

const viewer = () => server.as('vic', 'staff:viewer');
const operator = () => server.as('olga', 'staff:operator');

type Page = Omit<Partial<Parameters<ReturnType<typeof viewer>['listEndpointEvents']>[0]>, '$typeName'>;
const list = (accountId: string, page: Page = {}) =>
  viewer().listEndpointEvents({ accountId, environment: SANDBOX, ...page });

/** Marks an event as delivered at its first attempt, with every field of an attempt set. */
async function deliver(
  endpointId: Parameters<typeof recordDue>[1]['endpointId'],
  eventId: EventId,
  head: string,
) {
  const [attempt] = await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
  if (attempt?.eventId !== eventId) throw new Error('another event was due');
  await settleAttempts(service.pool, [
    {
      ...interrupted({ ...attempt, startedAt: at(0) }, at(40), () => 0.5),
      error: undefined,
      statusCode: 204,
      dnsMs: 1.5,
      connectMs: 2.5,
      tlsMs: 3.5,
      statusMs: 4.5,
      resolvedIp: '2001:db8::1',
      tlsVersion: 'TLSv1.3',
      sealedAnswerHead: service.context.keyRing.seal(Buffer.from(head), answerHeadAad(eventId, 1)),
      verdict: { state: 'delivered' },
    },
  ]);
}

describe('ListEndpointEvents', () => {
  it('returns every event exactly once across pages, latest recorded first, including equal timestamps', async () => {
    const endpoint = await service.createEndpoint();
    const ids: EventId[] = [];
    for (const ms of [0, 1, 1, 2]) {
      ids.push(...(await recordDue(service, endpoint, 3, at(ms), at(-9 * ms))));
    }
    const expected = (await service.db.event.findMany({ where: { id: { in: ids } } }))
      .toSorted((a, b) => Number(b.recordedAt) - Number(a.recordedAt) || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
    const seen: string[] = [];
    let pageToken = '';
    let pages = 0;
    do {
      const page = await list(endpoint.accountId, { pageSize: 4, pageToken });
      expect(page.events.length).toBe(4);
      seen.push(...page.events.map(({ eventId }) => eventId));
      pageToken = page.nextPageToken;
      pages += 1;
    } while (pageToken !== '' && pages < 10);
    expect(seen).toEqual(expected);
    expect(pages).toBe(3);
  });

  it('returns pages of 50 by default', async () => {
    const endpoint = await service.createEndpoint();
    await recordDue(service, endpoint, 51);
    const first = await list(endpoint.accountId);
    expect(first.events).toHaveLength(50);
    expect((await list(endpoint.accountId, { pageToken: first.nextPageToken })).events).toHaveLength(1);
  });

  it('returns only events of this endpoint with the requested states, recorded at or after the requested time', async () => {
    const endpoint = await service.createEndpoint();
    await recordDue(service, await service.createEndpoint(), 1);
    await recordDue(service, endpoint, 1, at(0));
    const [delivered, waiting] = await recordDue(service, endpoint, 2, at(5));
    await service.db.event.update({
      where: { id: delivered ?? '' },
      data: { state: 'delivered', settledAt: at(9), nextAttemptAt: null, attemptCount: 1 },
    });
    const idsOf = async (page: Page) =>
      (await list(endpoint.accountId, { recordedSince: toTimestamp(at(5)), ...page })).events.map(
        ({ eventId }) => eventId,
      );
    expect(await idsOf({ states: [DELIVERED] })).toEqual([delivered]);
    expect(await idsOf({ states: [PENDING] })).toEqual([waiting]);
    expect((await idsOf({ states: [PENDING, DELIVERED] })).toSorted()).toEqual(
      [delivered, waiting].toSorted(),
    );
    expect(await idsOf({ recordedSince: toTimestamp(at(6)) })).toEqual([]);
  });

  it('includes events dropped while the endpoint was not active', async () => {
    const { accountId } = await service.createEndpoint();
    const change = statusChanged({ accountId, occurredAt: at(-1) });
    await consume(service.context, change);
    expect((await list(accountId, { states: [DROPPED] })).events).toMatchObject([
      { eventId: change.eventId, state: DROPPED, attempts: [] },
    ]);
  });

  it.each(['x', 'MTIz', Buffer.from('1.not-an-id').toString('base64url')])(
    'rejects the page token %j',
    async (pageToken) => {
      const { accountId } = await service.createEndpoint();
      expect(await refusalTo(list(accountId, { pageToken }))).toMatchObject({
        code: RefusalCode.VALIDATION_ERROR,
        violations: [{ path: 'page_token' }],
      });
    },
  );

  it('rejects a state that does not exist, and an account without an endpoint in the environment', async () => {
    const { accountId } = await service.createEndpoint();
    expect((await refusalTo(list(accountId, { states: [DeliveryState.UNSPECIFIED] })))?.code).toBe(
      RefusalCode.VALIDATION_ERROR,
    );
    expect((await refusalTo(list(accountId, { environment: PRODUCTION })))?.code).toBe(RefusalCode.NOT_FOUND);
    expect((await refusalTo(list(newId<AccountId>())))?.code).toBe(RefusalCode.NOT_FOUND);
  });
});

describe('event', () => {
  const HEAD = 'thanks for https://journey.test/j/secret';

  async function deliveredEvent() {
    const endpoint = await service.createEndpoint();
    const change = statusChanged({ accountId: endpoint.accountId, occurredAt: at(1) });
    service.clock.set(at(5));
    await consume(service.context, change);
    await deliver(endpoint.endpointId, change.eventId, HEAD);
    await service.db.event.update({ where: { id: change.eventId }, data: { recordedAt: at(5) } });
    return { ...endpoint, ...change };
  }

  it('is returned with all stored data and attempts by every read RPC', async () => {
    const { eventId, submissionId, accountId, secret } = await deliveredEvent();
    const attempt = {
      number: 1,
      startedAt: toTimestamp(at(0)),
      endedAt: toTimestamp(at(40)),
      statusCode: 204,
      errorClass: '',
      keyFingerprint: fingerprintOf(secret),
      dnsMs: 1.5,
      connectMs: 2.5,
      tlsMs: 3.5,
      statusMs: 4.5,
      resolvedIp: '2001:db8::1',
      tlsVersion: 'TLSv1.3',
    };
    const expected = {
      eventId,
      submissionId,
      accountId,
      environment: SANDBOX,
      change: EventChange.DECIDED,
      occurredAt: toTimestamp(at(1)),
      recordedAt: toTimestamp(at(5)),
      settledAt: toTimestamp(at(40)),
      state: DELIVERED,
      supersededBy: '',
      redeliveredAs: '',
      attempts: [attempt],
    };
    expect(await operator().getEvent({ purpose: 'read by a test', eventId })).toMatchObject(expected);
    expect((await viewer().listEvents({ submissionId })).events).toMatchObject([expected]);
    expect((await list(accountId)).events).toMatchObject([expected]);
  });

  it('is returned with the id of the later event that replaced it', async () => {
    const { accountId } = await service.createEndpoint();
    const submissionId = newId<SubmissionId>();
    const [first, second] = [1, 2].map((ms) =>
      statusChanged({ accountId, submissionId, occurredAt: at(ms) }),
    );
    if (!first || !second) throw new Error('two changes were made');
    await consume(service.context, first);
    await consume(service.context, second);
    expect(
      (await operator().getEvent({ purpose: 'read by a test', eventId: first.eventId })).supersededBy,
    ).toBe(second.eventId);
  });

  it('includes the beginning of a response when it is read individually, and in no list', async () => {
    const { eventId, submissionId, accountId } = await deliveredEvent();
    const { attempts } = await operator().getEvent({ purpose: 'read by a test', eventId });
    expect(attempts.map(({ answerHead }) => Buffer.from(answerHead).toString())).toEqual([HEAD]);
    for (const { events } of [await viewer().listEvents({ submissionId }), await list(accountId)]) {
      expect(events[0]?.attempts[0]?.answerHead).toHaveLength(0);
    }
  });

  it('is read with an audit entry, and its response is in neither log', async () => {
    const { eventId, submissionId, accountId } = await deliveredEvent();
    await operator().getEvent({ purpose: 'read by a test', eventId });
    const lines = await service.db.auditEntry.findMany({ where: { accountId } });
    expect(lines).toMatchObject([
      {
        actor: 'olga',
        action: 'GetEvent',
        at: at(5),
        target: submissionId,
        after: { eventId, environment: 'sandbox' },
        purpose: 'read by a test',
      },
    ]);
    const printed = JSON.stringify([lines, server.lines], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(printed).not.toContain('journey.test');
  });

  it('is not returned without a purpose', async () => {
    const { eventId, accountId } = await deliveredEvent();
    for (const purpose of ['', '  a ', 'x'.repeat(201)])
      expect(await refusalTo(operator().getEvent({ eventId, purpose }))).toMatchObject({
        violations: [{ path: 'purpose' }],
      });
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(0);
  });

  it('is refused when it does not exist', async () => {
    expect(
      (await refusalTo(operator().getEvent({ purpose: 'read by a test', eventId: newId<EventId>() })))?.code,
    ).toBe(RefusalCode.NOT_FOUND);
  });
});
