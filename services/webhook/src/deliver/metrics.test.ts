import { Registry } from '@supplier/lib/runtime/metrics';
import {
  eventually,
  forAllTests,
  makeTestAuthority,
  startTestProcess,
  startTestRpcServer,
  type TestRpcServer,
} from '@supplier/lib/testing';
import { systemClock } from '@supplier/lib/text/time';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import pg from 'pg';
import { closedPort, httpsReceiver, type Receiver } from '../../testing/receivers.ts';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recordDue } from '../../testing/test-engine.ts';
import { openTestService } from '../../testing/test-service.ts';
import { eventCounts } from '../event-counts.ts';
import { addressPolicy } from '../model/address-policy.ts';
import type { ClaimedAttempt, Outcome } from '../model/attempt.ts';
import { routes } from '../routes.ts';
import { measureAttempts } from './metrics.ts';
import { MAX_FAILING, readQueue } from './queue.sql.ts';
import { type Delivery, startDelivery } from './start-delivery.ts';

const process = startTestProcess('webhook');
const unreachable = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' });

let receiver: Receiver;
let delivery: Delivery;
let server: TestRpcServer<typeof WebhookService>;

afterAll(async () => {
  await server?.close();
  await receiver?.close();
  await unreachable.end();
});
const service = forAllTests(() => openTestService({ clock: systemClock, ...eventCounts(process.metrics) }));
beforeAll(async () => {
  service.clock.set(new Date(Date.now() - 60_000));
  const authority = await makeTestAuthority();
  const credentials = await authority.issue({ ips: ['127.0.0.1'] });
  receiver = await httpsReceiver(credentials, (_request, response) => response.end());
  delivery = startDelivery(process, { ...parts(), extraCa: authority.pem });
  service.context.wakes.connect({ delivery: delivery.wake, reserve: delivery.reserve });
  server = await startTestRpcServer('webhook', WebhookService, routes(service.context), process);
});

function parts(pool = service.pool) {
  const { keyRing } = service.context;
  return { pool, keyRing, policy: addressPolicy(['127.0.0.1/32']), extraCa: undefined };
}

/** Returns the value of one line of the metrics page; undefined when there is none. */
function numberOf(page: string, line: string): number | undefined {
  const found = page.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

async function scrape(baseUrl = server.baseUrl): Promise<string> {
  const answer = await fetch(`${baseUrl}/metrics`);
  expect(answer.status).toBe(200);
  return answer.text();
}

async function untilSettled(accountId: string) {
  await eventually('an attempt is settled', async () => {
    const where = { event: { accountId }, endedAt: { not: null } };
    return (await service.db.attempt.count({ where })) === 1;
  });
}

/** An attempt is counted just after its outcome is committed. */
async function untilNothingIsInFlight() {
  await eventually('nothing is in flight', async () => {
    const text = await process.metrics.getSingleMetricAsString('sss_webhook_attempts_in_flight');
    return text.endsWith(' 0');
  });
}

describe('delivery metrics over HTTP', () => {
  it('count recorded and attempted events, and the delay after the change', async () => {
    const { accountId } = await service.createEndpoint({ url: `https://127.0.0.1:${receiver.port}/` });
    const change = statusChanged({ accountId, occurredAt: new Date() });
    await consume(service.context, change);
    await consume(service.context, change);
    await untilSettled(accountId);
    const dead = await service.createEndpoint({ url: `https://127.0.0.1:${await closedPort()}/` });
    await consume(service.context, statusChanged({ accountId: dead.accountId, occurredAt: new Date() }));
    await untilSettled(dead.accountId);
    await untilNothingIsInFlight();

    const page = await scrape();
    const value = (line: string) => numberOf(page, line);
    expect(value('sss_webhook_recorded_events_total{state="pending"}')).toBe(2);
    expect(value('sss_webhook_attempts_total{outcome="delivered"}')).toBe(1);
    expect(value('sss_webhook_attempts_total{outcome="connect"}')).toBe(1);
    expect(value('sss_webhook_attempt_duration_seconds_count{result="delivered"}')).toBe(1);
    expect(value('sss_webhook_attempt_duration_seconds_count{result="failed"}')).toBe(1);
    for (const from of ['change', 'recording']) {
      expect(value(`sss_webhook_${from}_to_first_attempt_seconds_count`)).toBe(2);
      expect(value(`sss_webhook_${from}_to_first_attempt_seconds_bucket{le="10"}`)).toBe(2);
    }
    expect(value('sss_webhook_change_to_delivery_seconds_count')).toBe(1);
    expect(value('sss_webhook_attempts_total{outcome="tls"}')).toBe(0);
    expect(value('sss_webhook_attempts_in_flight')).toBe(0);
    expect(value('sss_webhook_exhausted_events_total')).toBe(0);
    expect(value('sss_webhook_expired_events_total')).toBe(0);
    expect(value('sss_webhook_pending_events{state="waiting"}')).toBe(1);
    expect(value('sss_webhook_pending_events{state="leased"}')).toBe(0);
    expect(value('sss_webhook_oldest_due_age_seconds')).toBe(0);
    expect(value(`sss_webhook_endpoint_failed_attempts{endpoint_id="${dead.endpointId}"}`)).toBe(1);
    for (const customer of [accountId, dead.accountId, change.submissionId, change.eventId]) {
      expect(page).not.toContain(customer);
    }
  });

  it('are served without the queue depth while the database is unavailable', async () => {
    const lonely = startTestProcess('webhook');
    startDelivery(lonely, parts(unreachable));
    const other = await startTestRpcServer('webhook', WebhookService, routes(service.context), lonely);
    const page = await scrape(other.baseUrl);
    await other.close();
    expect(numberOf(page, 'sss_webhook_attempts_in_flight')).toBe(0);
    expect(page).not.toMatch(/^sss_webhook_(pending_events|oldest_due_age_seconds|endpoint_failed)/m);
  });
});

it('delivery metrics exclude the wait for an endpoint that its supplier disabled', async () => {
  const registry = new Registry();
  const measures = measureAttempts(registry);
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const claimed = { number: 1, occurredAt: at(0), recordedAt: at(1), activeSince: at(50), startedAt: at(52) };
  measures.began(claimed as ClaimedAttempt);
  const outcome = { endedAt: at(53), verdict: { state: 'delivered' } };
  measures.recorded(outcome as Outcome, claimed as ClaimedAttempt);
  // Enabled long before the change.
  measures.began({ ...claimed, activeSince: at(-9) } as ClaimedAttempt);
  const page = await registry.metrics();
  expect(numberOf(page, 'sss_webhook_change_to_first_attempt_seconds_sum')).toBe(2 + 52);
  expect(numberOf(page, 'sss_webhook_recording_to_first_attempt_seconds_sum')).toBe(2 + 51);
  expect(numberOf(page, 'sss_webhook_change_to_delivery_seconds_sum')).toBe(3);
});

describe('queue depth', () => {
  it('shows how long the oldest due event of an enabled endpoint has been due', async () => {
    const other = await openTestService();
    const [one, disabled] = [await other.createEndpoint(), await other.createEndpoint()];
    await recordDue(other, disabled, 1, new Date(Date.now() - 90_000));
    await recordDue(other, one, 2, new Date(Date.now() - 30_000));
    await recordDue(other, await other.createEndpoint(), 1, new Date(Date.now() - 9_000));
    await other.db.endpoint.update({ where: { id: disabled.endpointId }, data: { enabled: false } });
    const { oldestDueSeconds, ...rest } = await readQueue(other.pool);
    expect(rest).toEqual({ waiting: 4, leased: 0, failing: [] });
    expect(Math.floor(oldestDueSeconds / 10)).toBe(3);
    await other.close();
  });

  it('lists the longest-failing endpoints, up to its limit', async () => {
    const other = await openTestService();
    const since = (index: number) => new Date(Date.UTC(2026, 0, 1) + index);
    const ids: string[] = [];
    for (let index = 0; index < MAX_FAILING + 2; index += 1) {
      const { endpointId } = await other.createEndpoint();
      const failing = index > 0 ? { failingSince: since(index), failedAttempts: BigInt(index) } : {};
      await other.db.endpointHealth.create({ data: { endpointId, ...failing } });
      ids.push(endpointId);
    }
    const { failing } = await readQueue(other.pool);
    expect(failing).toHaveLength(MAX_FAILING);
    expect(failing.map(({ endpointId }) => String(endpointId))).toEqual(ids.slice(1, MAX_FAILING + 1));
    await other.close();
  });
});
