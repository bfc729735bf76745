import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { DeliveryState } from '@supplier/proto/webhook/v1/webhook';
import { consume, statusChanged } from '../testing/status-changes.ts';
import { openTestService, refused, START, startTestServer } from '../testing/test-service.ts';
import { claimAttempts } from './deliver/queue.sql.ts';
import { interrupted } from './model/attempt.ts';
import { fingerprintOf } from './model/signing.ts';
import { secretAad } from './store/sealed-values.ts';
import { settleAttempts } from './store/settle-attempts.sql.ts';

const { SANDBOX, PRODUCTION } = Environment;
const at = (ms: number) => new Date(START.getTime() + ms);

const unknownAccounts = new Set<AccountId>();
const service = forAllTests(() => openTestService({ accountExists: async (id) => !unknownAccounts.has(id) }));
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => service.clock.set(START));

const admin = () => server.as('ada', 'staff:admin');
const viewer = () => server.as('vic', 'staff:viewer');

function create(accountId: string, url = 'https://hooks.example.com/x', environment = SANDBOX) {
  return admin().createEndpoint({ accountId, environment, url });
}

describe('CreateEndpoint', () => {
  it('returns the immediately active endpoint with its secret', async () => {
    const accountId = newId<AccountId>();
    const { endpoint, signingSecret } = await create(accountId, 'https://Hooks.Example.com/x');
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(endpoint).toMatchObject({
      accountId,
      environment: SANDBOX,
      url: 'https://hooks.example.com/x',
      enabled: true,
      keyFingerprint: fingerprintOf(signingSecret),
      createdAt: toTimestamp(START),
    });
    const endpointId = endpoint?.endpointId ?? '';
    expect(await service.db.endpointActivity.findMany({ where: { endpointId } })).toEqual([
      { endpointId, activeFrom: START, activeUntil: null },
    ]);
  });

  it('stores the secret sealed, and reveals it nowhere else: not to staff, in the audit log or in the log', async () => {
    const accountId = newId<AccountId>();
    const { endpoint, signingSecret } = await create(accountId);
    const row = await service.db.endpoint.findUniqueOrThrow({ where: { id: endpoint?.endpointId ?? '' } });
    const opened = service.context.keyRing.open(row.sealedSecret, secretAad(row.id as never));
    expect(Buffer.from(opened).toString()).toBe(signingSecret);
    expect(Buffer.from(row.sealedSecret).includes(signingSecret.slice(6))).toBe(false);
    const shown = await viewer().getEndpoint({ accountId, environment: SANDBOX });
    const lines = await service.db.auditEntry.findMany({ where: { accountId } });
    const everythingElse = JSON.stringify([shown, lines, server.lines], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(everythingElse).not.toContain(signingSecret.slice(6));
  });

  it('refuses a second endpoint in the same environment, and changes nothing', async () => {
    const accountId = newId<AccountId>();
    const { endpoint } = await create(accountId);
    const { refusal, error } = await refused(create(accountId, 'https://other.example.com/'));
    expect(refusal?.code).toBe(RefusalCode.ALREADY_EXISTS);
    expect(error).toMatchObject({ code: Code.AlreadyExists });
    expect(await viewer().getEndpoint({ accountId, environment: SANDBOX })).toEqual(endpoint);
    const production = await create(accountId, 'https://hooks.example.com/x', PRODUCTION);
    expect(production.endpoint?.environment).toBe(PRODUCTION);
  });

  it('succeeds for exactly one of many concurrent requests', async () => {
    const accountId = newId<AccountId>();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => create(accountId)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await service.db.endpoint.count({ where: { accountId } })).toBe(1);
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(1);
  });

  it.each(['http://hooks.example.com/', 'https://localhost/', 'https://10.0.0.1/', 'https://a.example/#x'])(
    'rejects %s with the field and without repeating it',
    async (url) => {
      const { refusal, error } = await refused(create(newId<AccountId>(), url));
      expect(refusal).toMatchObject({ code: RefusalCode.VALIDATION_ERROR, violations: [{ path: 'url' }] });
      expect(String(error)).not.toContain(url);
      expect(refusal?.violations[0]?.message).not.toContain(url);
    },
  );

  it('rejects an unknown account, and creates nothing', async () => {
    const unknown = newId<AccountId>();
    unknownAccounts.add(unknown);
    const { refusal } = await refused(create(unknown));
    expect(refusal).toMatchObject({ code: RefusalCode.NOT_FOUND });
    expect(await service.db.endpoint.count({ where: { accountId: unknown } })).toBe(0);
    expect(await service.db.auditEntry.count({ where: { accountId: unknown } })).toBe(0);
  });

  it('loses no concurrent change, which is either dropped before or recorded after', async () => {
    // Each read advances the clock, as time does outside tests.
    const moving = {
      ...service.context,
      clock: {
        now() {
          service.clock.advance(1);
          return service.clock.now();
        },
      },
    };
    const movingServer = await startTestServer(moving);
    for (let round = 0; round < 10; round += 1) {
      const accountId = newId<AccountId>();
      const creating = movingServer
        .as('ada', 'staff:admin')
        .createEndpoint({ accountId, environment: SANDBOX, url: 'https://hooks.example.com/' });
      const changes: EventId[] = [];
      for (let index = 0; index < 5; index += 1) {
        const change = statusChanged({ accountId, occurredAt: moving.clock.now() });
        changes.push(change.eventId);
        await consume(moving, change);
      }
      const { endpoint } = await creating;
      const createdAt =
        Number(endpoint?.createdAt?.seconds) * 1_000 + (endpoint?.createdAt?.nanos ?? 0) / 1e6;
      const events = await service.db.event.findMany({ where: { id: { in: changes } } });
      for (const { state, occurredAt } of events) {
        expect(state === 'dropped').toBe(Number(occurredAt) < createdAt);
      }
    }
    await movingServer.close();
  });
});

describe('ListEvents', () => {
  it('returns every recorded event, oldest change first, each with its attempts', async () => {
    const { accountId, endpointId, secret } = await service.createEndpoint();
    const submissionId = newId<SubmissionId>();
    const [first, second, third] = [10, 20, 30].map((ms) =>
      statusChanged({ accountId, submissionId, occurredAt: at(ms) }),
    );
    if (!first || !second || !third) throw new Error('three changes were made');
    await consume(service.context, second);
    const [attempt] = await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
    if (!attempt) throw new Error('the second change was due');
    const { startedAt } = attempt;
    const endedAt = new Date(startedAt.getTime() + 40);
    await settleAttempts(service.pool, [
      { ...interrupted(attempt, endedAt, () => 0.5), error: 'status', statusCode: 500 },
    ]);
    const underWay = await viewer().listEvents({ submissionId });
    expect(underWay.events).toMatchObject([{ eventId: second.eventId, attempts: [{ number: 1 }] }]);
    await consume(service.context, third);
    await consume(service.context, first);
    const dropped = statusChanged({ accountId, occurredAt: at(-1), submissionId });
    await consume(service.context, dropped);

    const { events } = await viewer().listEvents({ submissionId });
    expect(events).toMatchObject([
      { eventId: dropped.eventId, state: DeliveryState.DROPPED, attempts: [] },
      { eventId: first.eventId, state: DeliveryState.SUPERSEDED, attempts: [] },
      {
        eventId: second.eventId,
        submissionId,
        occurredAt: toTimestamp(at(20)),
        state: DeliveryState.PENDING,
        nextAttemptAt: toTimestamp(new Date(endedAt.getTime() + 15_000)),
        attempts: [
          {
            number: 1,
            startedAt: toTimestamp(startedAt),
            endedAt: toTimestamp(endedAt),
            statusCode: 500,
            errorClass: 'status',
            keyFingerprint: fingerprintOf(secret),
          },
        ],
      },
      { eventId: third.eventId, state: DeliveryState.PENDING, attempts: [] },
    ]);
  });

  it('is empty for a submission without recorded events', async () => {
    expect((await viewer().listEvents({ submissionId: newId<SubmissionId>() })).events).toEqual([]);
  });
});
