import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { recordDue } from '../../testing/test-engine.ts';
import { openTestService, refused, startTestServer } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
const server = forAllTests(() => startTestServer(service.context));
beforeEach(() => service.pool.query('TRUNCATE endpoint CASCADE'));

const viewer = () => server.as('vic', 'staff:viewer');
type Request = Parameters<ReturnType<typeof viewer>['listEndpoints']>[0];
const list = (request: Request = {}) => viewer().listEndpoints(request);
const idsOf = async (request: Request = {}) =>
  (await list(request)).endpoints.map(({ endpoint }) => endpoint?.endpointId);

async function fail(endpointId: EndpointId, since = new Date('2026-11-20T09:00:00Z')): Promise<void> {
  await service.pool.query(
    'INSERT INTO endpoint_health (endpoint_id, failing_since, failed_attempts) VALUES ($1, $2, 3)',
    [endpointId, since],
  );
}
const disable = (endpointId: EndpointId) =>
  service.pool.query('UPDATE endpoint SET enabled = false WHERE id = $1', [endpointId]);

describe('ListEndpoints', () => {
  it('lists endpoints, latest created first, with their health and without a secret', async () => {
    const first = await service.createEndpoint();
    const { endpointId, accountId, secret } = await service.createEndpoint({ environment: 'production' });
    const since = new Date('2026-11-20T09:00:00Z');
    await fail(endpointId, since);
    const answer = await list();
    expect(answer.endpoints).toMatchObject([
      {
        endpoint: {
          endpointId,
          accountId,
          environment: Environment.PRODUCTION,
          enabled: true,
          failingSince: toTimestamp(since),
          failedAttempts: 3n,
        },
        waiting: 0,
      },
      { endpoint: { endpointId: first.endpointId, failedAttempts: 0n } },
    ]);
    expect(answer.endpoints[0]?.oldestWaitingSince).toBeUndefined();
    expect(answer.nextPageToken).toBe('');
    expect(JSON.stringify(answer.endpoints.map(({ endpoint }) => endpoint?.url))).not.toContain(secret);
  });

  it('applies each filter, and all of them together', async () => {
    const [healthy, failing, disabled, both] = [
      await service.createEndpoint(),
      await service.createEndpoint(),
      await service.createEndpoint({ environment: 'production' }),
      await service.createEndpoint(),
    ];
    await fail(failing.endpointId);
    await fail(both.endpointId);
    await disable(disabled.endpointId);
    await disable(both.endpointId);
    expect(await idsOf({ failing: true })).toEqual([both.endpointId, failing.endpointId]);
    expect(await idsOf({ disabled: true })).toEqual([both.endpointId, disabled.endpointId]);
    expect(await idsOf({ failing: true, disabled: true })).toEqual([both.endpointId]);
    expect(await idsOf({ environment: Environment.PRODUCTION })).toEqual([disabled.endpointId]);
    expect(await idsOf({ accountId: healthy.accountId.toUpperCase() })).toEqual([healthy.endpointId]);
    expect(await idsOf({ accountId: healthy.accountId, failing: true })).toEqual([]);
    expect(await idsOf({ accountId: newId<AccountId>() })).toEqual([]);
  });

  it('counts up to 100 waiting events, and returns when the oldest was recorded', async () => {
    const endpoint = await service.createEndpoint();
    const oldest = new Date('2026-11-19T10:00:00Z');
    const waiting = async () => (await list()).endpoints.map((one) => [one.waiting, one.oldestWaitingSince]);
    await recordDue(service, endpoint, 3, oldest);
    expect(await waiting()).toEqual([[3, toTimestamp(oldest)]]);
    await recordDue(service, endpoint, 200, new Date('2026-11-20T10:00:00Z'));
    expect(await waiting()).toEqual([[100, toTimestamp(oldest)]]);
  });

  it('pages without gaps or repeats while endpoints are created', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift((await service.createEndpoint()).endpointId);
    const seen: unknown[] = [];
    let pageToken = '';
    for (let page = 0; page < 3; page += 1) {
      const answer = await list({ pageSize: 2, pageToken });
      seen.push(...answer.endpoints.map(({ endpoint }) => endpoint?.endpointId));
      pageToken = answer.nextPageToken;
      await service.createEndpoint();
    }
    expect(seen).toEqual(made);
    expect(pageToken).toBe('');
  });

  it.each<[string, Request]>([
    ['page_size', { pageSize: 201 }],
    ['page_token', { pageToken: 'x' }],
    ['account_id', { accountId: 'x' }],
    ['environment', { environment: 9 as Environment }],
  ])('rejects an invalid %s', async (path, request) => {
    const { refusal } = await refused(list(request));
    expect(refusal?.violations.map((violation) => violation.path)).toEqual([path]);
  });

  it('rejects the page token of another query', async () => {
    await service.createEndpoint();
    await service.createEndpoint();
    const { nextPageToken: pageToken } = await list({ pageSize: 1 });
    const { refusal } = await refused(list({ failing: true, pageToken }));
    expect(refusal?.violations).toMatchObject([{ path: 'page_token' }]);
  });
});
