import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter } from '@connectrpc/connect';
import { DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000001';
const at = (minute: number) => timestampFromDate(new Date(Date.UTC(2026, 10, 22, 7, minute)));

describe('sss endpoints show', () => {
  let services: FakeServices;
  let failingSince: ReturnType<typeof at> | undefined;
  beforeAll(async () => {
    services = await startFakeServices((router: ConnectRouter) => {
      router.service(WebhookService, {
        getEndpoint: ({ accountId, environment }) => ({
          accountId,
          environment,
          url: 'https://x.example',
          ...(failingSince && { failingSince }),
        }),
        listEndpointEvents: () => ({
          events: [
            {
              state: DeliveryState.PENDING,
              attempts: [
                { number: 1, endedAt: at(1), errorClass: 'timeout' },
                { number: 2, endedAt: at(9), errorClass: 'status', statusCode: 404 },
                { number: 3, startedAt: at(10) },
              ],
            },
            { state: DeliveryState.EXHAUSTED, attempts: [{ number: 8, endedAt: at(5), errorClass: 'tls' }] },
          ],
        }),
      });
    });
  });
  afterAll(() => services.close());
  const show = (...more: string[]) =>
    services.run('endpoints', 'show', ID, '--environment', 'sandbox', ...more);

  it('says why a failing endpoint fails: the last failed attempt', async () => {
    failingSince = at(0);
    const { stdout } = await show();
    expect(stdout).toMatch(/failing_since +2026-11-22 07:00:00Z/);
    expect(stdout).toMatch(/last_failed_attempt\n(?: {2}.*\n)*? {2}status_code +404/);
    expect(stdout).toMatch(/ {2}ended_at +2026-11-22 07:09:00Z/);
    await expect(show('--get', 'last_failed_attempt.status_code')).resolves.toMatchObject({
      stdout: '404\n',
    });
    expect(JSON.parse((await show('--json')).stdout)).toMatchObject({
      lastFailedAttempt: { statusCode: 404, errorClass: 'status' },
    });
  });

  it('reads no events of an endpoint that works', async () => {
    failingSince = undefined;
    const before = services.received.length;
    expect((await show()).stdout).not.toContain('last_failed_attempt');
    expect(services.received.slice(before).map(({ rpc }) => rpc)).toEqual(['GetEndpoint']);
  });
});
