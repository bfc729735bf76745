import { setTimeout as delay } from 'node:timers/promises';
import {
  eventually,
  forAllTests,
  makeTestAuthority,
  startTestProcess,
  type TestAuthority,
} from '@supplier/lib/testing';
import { httpsReceiver, type Receiver } from '../../testing/receivers.ts';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { recorded } from '../../testing/test-engine.ts';
import { openTestService } from '../../testing/test-service.ts';
import { addressPolicy } from '../model/address-policy.ts';
import { startDelivery } from './start-delivery.ts';

/** The age of the change on arrival, and the receiver's response time. */
const CHANGE_AGE_MS = 2_000;
const ANSWER_MS = 300;
/** Times are stored in whole milliseconds. */
const ROUNDING_MS = 2;

let authority: TestAuthority;
let receiver: Receiver;
afterAll(() => receiver?.close());
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  authority = await makeTestAuthority();
});

it("reported delivery durations agree with the receiver's clock", async () => {
  const seen: { arrivedAt: number; answeredAt: number }[] = [];
  const credentials = await authority.issue({ ips: ['127.0.0.1'] });
  receiver = await httpsReceiver(credentials, async (_request, response) => {
    const arrivedAt = Date.now();
    await delay(ANSWER_MS);
    seen.push({ arrivedAt, answeredAt: Date.now() });
    response.end();
  });
  const process = startTestProcess('webhook');
  const { pool, keyRing } = service.context;
  const policy = addressPolicy(['127.0.0.1/32']);
  const delivery = startDelivery(process, { pool, keyRing, policy, extraCa: authority.pem });
  service.context.wakes.connect({ delivery: delivery.wake, reserve: delivery.reserve });

  const { accountId } = await service.createEndpoint({ url: `https://127.0.0.1:${receiver.port}/` });
  const changedAt = Date.now() - CHANGE_AGE_MS;
  const change = statusChanged({ accountId, occurredAt: new Date(changedAt) });
  await consume(service.context, change);
  const page = await eventually('the delivery is measured', async () => {
    const text = await process.metrics.metrics();
    return /^sss_webhook_change_to_delivery_seconds_count 1$/m.test(text) && text;
  });
  const measuredAt = Date.now();
  await delivery.stop();

  const [{ arrivedAt, answeredAt } = { arrivedAt: Number.NaN, answeredAt: Number.NaN }] = seen;
  const sumMs = (name: string) =>
    1_000 *
    Number(new RegExp(`^sss_webhook_${name}_sum(?:{[^}]*delivered[^}]*})? (\\S+)$`, 'm').exec(page)?.[1]);
  const [attempt] = (await recorded(service, change.eventId)).attempts;
  /**
   * Each duration is at least the time between two moments it contains, and at most the time between two moments that
   * contain it.
   */
  const durations: [what: string, ms: number, atLeast: number, atMost: number][] = [
    [
      'from change to first attempt',
      sumMs('change_to_first_attempt_seconds'),
      CHANGE_AGE_MS,
      arrivedAt - changedAt,
    ],
    [
      'from recording to first attempt',
      sumMs('recording_to_first_attempt_seconds'),
      0,
      arrivedAt - changedAt - CHANGE_AGE_MS,
    ],
    [
      'from change to delivery',
      sumMs('change_to_delivery_seconds'),
      CHANGE_AGE_MS + answeredAt - arrivedAt,
      measuredAt - changedAt,
    ],
    [
      'the attempt, measured',
      sumMs('attempt_duration_seconds'),
      answeredAt - arrivedAt,
      measuredAt - changedAt - CHANGE_AGE_MS,
    ],
    [
      'the attempt, recorded',
      Number(attempt?.endedAt) - Number(attempt?.startedAt),
      answeredAt - arrivedAt,
      measuredAt - changedAt - CHANGE_AGE_MS,
    ],
    [
      'up to the status line',
      Number(attempt?.statusMs),
      answeredAt - arrivedAt,
      measuredAt - changedAt - CHANGE_AGE_MS,
    ],
    [
      'up to the request',
      Number(attempt?.connectMs) + Number(attempt?.tlsMs),
      0,
      arrivedAt - changedAt - CHANGE_AGE_MS,
    ],
  ];
  for (const [what, ms, atLeast, atMost] of durations)
    expect([what, ms >= atLeast - ROUNDING_MS && ms <= atMost + ROUNDING_MS, ms, atLeast, atMost]).toEqual([
      what,
      true,
      ms,
      atLeast,
      atMost,
    ]);
});
