import { fromBinary } from '@bufbuild/protobuf';
import { forAllTests } from '@supplier/lib/testing';
import type { EndpointId } from '@supplier/lib/text/ids';
import { toDate } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { EndpointFailingSchema } from '@supplier/proto/webhook/v1/events';
import { openTestService, testLog } from '../../testing/test-service.ts';
import { notifyFailingEndpoints } from './endpoint-sweeps.ts';

const HOUR_MS = 3_600_000;
const { log, lines } = testLog();

const service = forAllTests(() => openTestService({ log }));
beforeEach(async () => {
  await service.pool.query('TRUNCATE outbox, domain_event, endpoint_health');
  lines.length = 0;
});

const sweep = () => notifyFailingEndpoints.run(service.context);
const failing = (endpointId: EndpointId, failingMs = HOUR_MS) =>
  service.db.endpointHealth.create({
    data: { endpointId, failingSince: new Date(Date.now() - failingMs), failedAttempts: 7n },
  });

describe('endpoint at which every attempt fails', () => {
  it('is reported once, after one hour and not before', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    await failing(endpointId, HOUR_MS - 60_000);
    expect(await sweep()).toEqual({ count: 0, more: false });
    expect(await service.db.outbox.count()).toBe(0);
    await service.passTime(60_000);
    const { failingSince } = await service.db.endpointHealth.findUniqueOrThrow({ where: { endpointId } });
    expect(await sweep()).toEqual({ count: 1, more: false });
    expect(await sweep()).toEqual({ count: 0, more: false });

    const [row, ...others] = await service.db.domainEvent.findMany();
    expect(others).toEqual([]);
    const { type, payload } = fromBinary(EventEnvelopeSchema, row?.envelope ?? new Uint8Array());
    expect(type).toBe(EndpointFailingSchema.typeName);
    const message = fromBinary(EndpointFailingSchema, payload);
    expect(message).toMatchObject({ accountId, endpointId, failedAttempts: 7n });
    expect(message.failingSince && toDate(message.failingSince)).toEqual(failingSince);
    expect(lines).toMatchObject([{ level: 'warn', endpoint_id: endpointId, msg: 'endpoint failing' }]);
  });

  it('is reported once when several workers check concurrently', async () => {
    for (let index = 0; index < 20; index += 1) await failing((await service.createEndpoint()).endpointId);
    const sweeps = await Promise.all([1, 2, 3, 4].map(() => sweep()));
    expect(sweeps.reduce((sum, { count }) => sum + count, 0)).toBe(20);
    expect(await service.db.outbox.count()).toBe(20);
  });

  it('is not reported while it is disabled, since nothing is attempted then', async () => {
    const { endpointId } = await service.createEndpoint();
    await failing(endpointId);
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    expect(await sweep()).toEqual({ count: 0, more: false });
  });

  it('is reported among many in steps, and the sweep returns that there are more', async () => {
    const { endpointId: latest } = await service.createEndpoint();
    await failing(latest);
    for (let index = 1; index <= 100; index += 1)
      await failing((await service.createEndpoint()).endpointId, HOUR_MS + index * 1_000);
    expect(await sweep()).toEqual({ count: 100, more: true });
    const left = await service.db.endpointHealth.findMany({ where: { notifiedAt: null } });
    expect(left).toMatchObject([{ endpointId: latest }]);
    expect(await sweep()).toEqual({ count: 1, more: false });
  });
});
