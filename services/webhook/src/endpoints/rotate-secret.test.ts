import { forAllTests } from '@supplier/lib/testing';
import { Environment } from '@supplier/proto/common/v1/status';
import { postResult, recordDue, recorded, startTestEngine } from '../../testing/test-engine.ts';
import { openTestService, START, startTestServer } from '../../testing/test-service.ts';
import { attempts as attemptsWith } from '../deliver/make-attempt.ts';
import { fingerprintOf, signatureOf } from '../model/signing.ts';
import { secretAad } from '../store/sealed-values.ts';

const { SANDBOX } = Environment;

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => service.clock.set(START));

const rotate = (accountId: string) =>
  server.as('ada', 'staff:admin').rotateSecret({ accountId, environment: SANDBOX });

describe('RotateSecret', () => {
  it('returns a new secret, stores it sealed, and reveals it nowhere else', async () => {
    const { accountId, endpointId, secret } = await service.createEndpoint();
    const { endpoint, signingSecret } = await rotate(accountId);
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(signingSecret).not.toBe(secret);
    expect(endpoint).toMatchObject({ endpointId, keyFingerprint: fingerprintOf(signingSecret) });
    const row = await service.db.endpoint.findUniqueOrThrow({ where: { id: endpointId } });
    const opened = service.context.keyRing.open(row.sealedSecret, secretAad(endpointId));
    expect(Buffer.from(opened).toString()).toBe(signingSecret);
    const lines = await service.db.auditEntry.findMany({ where: { accountId } });
    expect(lines).toMatchObject([
      {
        actor: 'ada',
        action: 'RotateSecret',
        before: { keyFingerprint: fingerprintOf(secret) },
        after: { endpointId, keyFingerprint: fingerprintOf(signingSecret) },
      },
    ]);
    const shown = JSON.stringify([lines, server.lines], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const one of [secret, signingSecret]) expect(shown).not.toContain(one.slice(6));
  });

  it('makes the old secret useless: a retry that was already queued is signed with the new one', async () => {
    const of = await service.createEndpoint();
    const posts: { headers: Record<string, string>; body: Uint8Array }[] = [];
    const client = {
      async post(_to: unknown, headers: Record<string, string>, body: Uint8Array) {
        posts.push({ headers, body });
        return postResult(posts.length === 1 ? { error: 'status', statusCode: 500 } : {});
      },
    };
    const make = attemptsWith({ keyRing: service.context.keyRing, client, random: () => 0.5 });
    const engine = startTestEngine(service, async (claimed, signal) => (await make(claimed, signal)).error);
    try {
      const [eventId] = await recordDue(service, of, 1);
      if (!eventId) throw new Error('one event was recorded');
      await engine.until(async () => (await recorded(service, eventId)).attempts[0]?.endedAt != null);
      const { signingSecret } = await rotate(of.accountId);
      await service.passTime(15_000);
      await engine.until(async () => (await recorded(service, eventId)).state === 'delivered');

      const { attempts } = await recorded(service, eventId);
      expect(attempts.map(({ keyFingerprint }) => keyFingerprint)).toEqual([
        fingerprintOf(of.secret),
        fingerprintOf(signingSecret),
      ]);
      const [first, second] = posts;
      if (!first || !second) throw new Error('two attempts were made');
      const verifies = (post: typeof first, secret: string) =>
        post.headers['Svc-Webhook-Signature'] ===
        signatureOf(secret, Number(post.headers['Svc-Webhook-Timestamp']), post.body);
      expect([verifies(first, of.secret), verifies(first, signingSecret)]).toEqual([true, false]);
      expect([verifies(second, of.secret), verifies(second, signingSecret)]).toEqual([false, true]);
      expect(Buffer.from(second.body)).toEqual(Buffer.from(first.body));
    } finally {
      await engine.delivery.stop();
    }
  });

  it('acts once for an idempotency key, so that a late repetition doesn’t replace a newer secret', async () => {
    const { accountId } = await service.createEndpoint();
    const once = (idempotencyKey: string) =>
      server.as('ada', 'staff:admin').rotateSecret({ accountId, environment: SANDBOX, idempotencyKey });
    const first = await once('first');
    expect(first).toMatchObject({
      secretAlreadyShown: false,
      signingSecret: expect.stringMatching('^whsec_'),
    });
    const newer = await once('second');
    const late = await once('first');
    expect(late).toMatchObject({ secretAlreadyShown: true, signingSecret: '' });
    expect(late.endpoint).toEqual(first.endpoint);
    const { keyFingerprint } = await server
      .as('ada', 'staff:admin')
      .getEndpoint({ accountId, environment: SANDBOX });
    expect(keyFingerprint).toBe(fingerprintOf(newer.signingSecret));
  });

  it('serves simultaneous requests in sequence, and the audit log shows which secret is current', async () => {
    const { accountId, endpointId, secret } = await service.createEndpoint();
    const answers = await Promise.all(Array.from({ length: 5 }, () => rotate(accountId)));
    const lines = await service.db.auditEntry.findMany({
      where: { accountId },
      orderBy: { sequence: 'asc' },
    });
    const fingerprint = (set: unknown) => (set as Record<string, string>).keyFingerprint;
    const chain = [fingerprintOf(secret), ...lines.map(({ after }) => fingerprint(after))];
    expect(lines.map(({ before }) => fingerprint(before))).toEqual(chain.slice(0, -1));
    const row = await service.db.endpoint.findUniqueOrThrow({ where: { id: endpointId } });
    expect(row.keyFingerprint).toBe(chain.at(-1));
    const holder = answers.find((answer) => fingerprintOf(answer.signingSecret) === row.keyFingerprint);
    const opened = service.context.keyRing.open(row.sealedSecret, secretAad(endpointId));
    expect(Buffer.from(opened).toString()).toBe(holder?.signingSecret);
  });
});
