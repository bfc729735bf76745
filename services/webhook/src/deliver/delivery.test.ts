import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { forAllTests, makeTestAuthority, startTestProcess } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import { systemClock } from '@supplier/lib/text/time';
import { httpsReceiver, type Receiver } from '../../testing/receivers.ts';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { openTestService } from '../../testing/test-service.ts';
import { addressPolicy } from '../model/address-policy.ts';
import { answerHeadAad } from '../store/sealed-values.ts';
import { type Delivery, startDelivery } from './start-delivery.ts';
import { DELIVERY_BOUNDS } from './turns.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

let receiver: Receiver;
let delivery: Delivery;
const process = startTestProcess('webhook');
const received: Received[] = [];
const waiting: ((one: Received) => void)[] = [];

afterAll(async () => {
  await process.stop();
  await receiver?.close();
});
const service = forAllTests(() => openTestService({ clock: systemClock }));
beforeAll(async () => {
  service.clock.set(new Date(Date.now() - 60_000));
  const authority = await makeTestAuthority();
  const credentials = await authority.issue({ ips: ['127.0.0.1'] });
  receiver = await httpsReceiver(credentials, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
      received.push(one);
      response.end('thank you');
      waiting.shift()?.(one);
    });
  });
  delivery = startDelivery(process, {
    pool: service.pool,
    keyRing: service.context.keyRing,
    policy: addressPolicy(['127.0.0.1/32']),
    extraCa: authority.pem,
  });
  service.context.wakes.connect({ delivery: delivery.wake, reserve: delivery.reserve });
});

function nextReceived(): Promise<Received> {
  return new Promise((resolve) => waiting.push(resolve));
}

function endpoint(accountId = newId<AccountId>()) {
  return service.createEndpoint({ accountId, url: `https://127.0.0.1:${receiver.port}/hooks` });
}

describe('change of a submission', () => {
  it('reaches the receiver as the signed envelope of the contract', async () => {
    const { accountId, secret } = await endpoint();
    const change = statusChanged({ accountId, occurredAt: new Date() });
    const arrival = nextReceived();
    await consume(service.context, change);
    const { headers, body } = await arrival;

    const timestamp = Number(headers['svc-webhook-timestamp']);
    expect(Math.abs(Date.now() / 1_000 - timestamp)).toBeLessThan(5);
    const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-webhook-id': change.eventId,
      'svc-webhook-signature': `v1=${expected}`,
    });
    expect(body).toContain(`"data":${JSON.stringify(renderStatus(change.submission))}}`);
    expect(JSON.parse(body)).toMatchObject({ id: change.eventId, type: 'submission.status_changed' });
  });

  it('is recorded as delivered, with the details of the attempt and the sealed response', async () => {
    const { accountId } = await endpoint();
    const { eventId, ...change } = statusChanged({ accountId, occurredAt: new Date() });
    await consume(service.context, change);
    let event = await service.db.event.findUniqueOrThrow({
      where: { id: eventId },
      include: { attempts: true },
    });
    while (event.state === 'pending') {
      await new Promise((resolve) => setTimeout(resolve, 10));
      event = await service.db.event.findUniqueOrThrow({
        where: { id: eventId },
        include: { attempts: true },
      });
    }
    expect(event.state).toBe('delivered');
    expect(event.attempts).toMatchObject([
      {
        number: 1,
        statusCode: 200,
        errorClass: null,
        resolvedIp: '127.0.0.1',
        tlsVersion: 'TLSv1.3',
        dnsMs: null,
      },
    ]);
    const head = event.attempts[0]?.sealedAnswerHead;
    if (!head) throw new Error('the answer was not kept');
    expect(Buffer.from(head).includes('thank you')).toBe(false);
    expect(Buffer.from(service.context.keyRing.open(head, answerHeadAad(eventId, 1))).toString()).toBe(
      'thank you',
    );
  });

  it('arrives soon after it is recorded when the service is idle', async () => {
    const { accountId } = await endpoint();
    const times: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const arrival = nextReceived();
      const started = performance.now();
      await consume(service.context, statusChanged({ accountId, occurredAt: new Date() }));
      times.push((await arrival).at - started);
    }
    const median = times.toSorted((one, other) => one - other)[10] ?? Number.POSITIVE_INFINITY;
    // Polling would take half a second.
    expect(median).toBeLessThan(400);
  });

  it('is delivered exactly once within a burst, over few connections', async () => {
    const { accountId } = await endpoint();
    const before = received.length;
    const connectionsBefore = receiver.connections();
    const changes = Array.from({ length: 200 }, () => statusChanged({ accountId, occurredAt: new Date() }));
    for (let first = 0; first < changes.length; first += 8) {
      await Promise.all(changes.slice(first, first + 8).map((change) => consume(service.context, change)));
    }
    while ((await service.db.event.count({ where: { accountId, state: 'delivered' } })) < 200) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const ids = received.slice(before).map(({ headers }) => String(headers['svc-webhook-id']));
    expect(ids.toSorted()).toEqual(changes.map(({ eventId }) => String(eventId)).toSorted());
    // At most as many connections as concurrent attempts to one endpoint.
    expect(receiver.connections() - connectionsBefore).toBeLessThanOrEqual(DELIVERY_BOUNDS.perEndpoint);
  });
});
