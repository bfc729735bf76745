import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { Environment } from '@supplier/proto/common/v1/status';
import { recordDue } from '../../testing/test-engine.ts';
import { openTestService, refused, START, startTestServer } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import { interrupted } from '../model/attempt.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';

const { SANDBOX } = Environment;

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestServer(service.context));

const update = (accountId: string, url: string) =>
  server.as('ada', 'staff:admin').updateEndpointUrl({ accountId, environment: SANDBOX, url });

describe('UpdateEndpointUrl', () => {
  it('sends retries of earlier events to the new URL, as the next attempt', async () => {
    const { accountId, endpointId, secret } = await service.createEndpoint({
      url: 'https://old.example.com/',
    });
    await recordDue(service, { accountId, endpointId }, 1);
    const requests = [{ endpointId, slots: 1 }];
    const [first] = await claimAttempts(service.pool, requests, 20_000);
    if (!first) throw new Error('an attempt was due');
    await settleAttempts(service.pool, [interrupted(first, first.startedAt, () => 0.5)]);
    const changed = await update(accountId, 'https://New.example.com/x?y=1');
    expect(changed).toMatchObject({ endpointId, url: 'https://new.example.com/x?y=1', enabled: true });
    await service.passTime(60_000);
    const [second] = await claimAttempts(service.pool, requests, 20_000);
    expect([first.url, second?.url]).toEqual(['https://old.example.com/', 'https://new.example.com/x?y=1']);
    expect(second).toMatchObject({ number: 2, keyFingerprint: first.keyFingerprint });
    expect(secret).toMatch(/^whsec_/);
  });

  it('is recorded in the audit log with both URLs, unless the URL is unchanged', async () => {
    const { accountId, endpointId } = await service.createEndpoint({ url: 'https://old.example.com/' });
    await update(accountId, 'https://OLD.example.com');
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(0);
    await update(accountId, 'https://new.example.com/');
    expect(await service.db.auditEntry.findMany({ where: { accountId } })).toMatchObject([
      {
        actor: 'ada',
        action: 'UpdateEndpointUrl',
        at: START,
        target: endpointId,
        before: { url: 'https://old.example.com/' },
        after: { endpointId, environment: 'sandbox', url: 'https://new.example.com/' },
      },
    ]);
  });

  it('changes any part of the URL, and back, with an audit entry each time', async () => {
    const [first = '', ...others] = ['a?b=1', 'c?b=1', 'c?b=2', 'a?b=1'].map(
      (path) => `https://a.example.com/${path}`,
    );
    const { accountId } = await service.createEndpoint({ url: first });
    for (const url of others) expect(await update(accountId, url)).toMatchObject({ url });
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(others.length);
  });

  it.each(['http://hooks.example.com/', 'https://localhost/', 'https://10.0.0.1/', 'https://a.example/#x'])(
    'rejects %s and leaves the endpoint unchanged',
    async (url) => {
      const { accountId, endpointId } = await service.createEndpoint();
      const { refusal } = await refused(update(accountId, url));
      expect(refusal).toMatchObject({ code: RefusalCode.VALIDATION_ERROR, violations: [{ path: 'url' }] });
      const row = await service.db.endpoint.findUniqueOrThrow({ where: { id: endpointId } });
      expect(row.url).toBe('https://receiver.test/');
      expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(0);
    },
  );
});
