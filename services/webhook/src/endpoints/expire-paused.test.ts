import { startSweepers } from '@supplier/lib/runtime/sweepers';
import { eventually, forAllTests, startTestProcess } from '@supplier/lib/testing';
import type { EventId } from '@supplier/lib/text/ids';
import { recordDue, recorded, recordWaiting } from '../../testing/test-engine.ts';
import { openTestService } from '../../testing/test-service.ts';
import { inTransaction } from '../store/database.ts';
import { expirePaused } from './endpoint-sweeps.ts';
import { expirePausedOfDisabled } from './paused-deliveries.sql.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than anything in these tests takes. */
const MINUTE_MS = 60_000;

const service = forAllTests(() => openTestService());
beforeEach(() => service.db.event.deleteMany());

/** Creates an endpoint with one waiting event recorded at each of `times`, in milliseconds from a day ago. */
async function endpointWith(enabled: boolean, times: number[]) {
  const of = await service.createEndpoint();
  await service.db.endpoint.update({ where: { id: of.endpointId }, data: { enabled } });
  const eventIds: EventId[] = [];
  for (const ms of times) eventIds.push(await recordWaiting(service, of, new Date(Date.now() - DAY_MS + ms)));
  return { ...of, eventIds };
}

const states = (eventIds: EventId[]) =>
  Promise.all(eventIds.map(async (id) => (await recorded(service, id)).state));

describe('sweep of paused deliveries', () => {
  it('expires only deliveries of disabled endpoints that are older than 24 hours', async () => {
    const disabled = await endpointWith(false, [-1, MINUTE_MS, 2 * MINUTE_MS]);
    const enabled = await endpointWith(true, [-HOUR_MS]);
    expect(await expirePaused.run(service.context)).toEqual({ count: 1, more: false });
    expect(await states(disabled.eventIds)).toEqual(['expired', 'pending', 'pending']);
    expect(await states(enabled.eventIds)).toEqual(['pending']);
    expect(await recorded(service, disabled.eventIds[0] as EventId)).toMatchObject({
      settledAt: expect.any(Date),
      nextAttemptAt: null,
    });
  });

  it('leaves an attempt in progress unchanged, and expires its event when that waits again', async () => {
    const { eventIds } = await endpointWith(false, [-HOUR_MS]);
    const [id] = eventIds as [EventId];
    const leased = { attemptCount: 1, nextAttemptAt: null, leaseUntil: new Date() };
    await service.db.event.update({ where: { id }, data: leased });
    expect(await expirePaused.run(service.context)).toEqual({ count: 0, more: false });
    await service.db.event.update({ where: { id }, data: { nextAttemptAt: new Date(), leaseUntil: null } });
    expect(await expirePaused.run(service.context)).toEqual({ count: 1, more: false });
    expect(await states(eventIds)).toEqual(['expired']);
  });

  it('applies the configured time', async () => {
    const { eventIds } = await endpointWith(false, [-HOUR_MS]);
    const patient = { ...service.context, pausedDeliveryMs: 25 * HOUR_MS + MINUTE_MS };
    expect(await expirePaused.run(patient)).toEqual({ count: 0, more: false });
    expect(await expirePaused.run({ ...patient, pausedDeliveryMs: 25 * HOUR_MS })).toMatchObject({
      count: 1,
    });
    expect(await states(eventIds)).toEqual(['expired']);
  });

  it('returns that there are more while 500 at once are not all', async () => {
    const of = await endpointWith(false, []);
    await recordDue(service, of, 1_001, new Date(Date.now() - DAY_MS - HOUR_MS));
    const runs = [];
    for (let run = 0; run < 3; run += 1) runs.push(await expirePaused.run(service.context));
    expect(runs).toEqual([500, 500, 1].map((count) => ({ count, more: count > 1 })));
  });

  it('works in bounded steps, and skips events and endpoints that are being changed', async () => {
    const { eventIds, endpointId } = await endpointWith(false, [-4, -3, -2, -1]);
    const busy = await endpointWith(false, [-1]);
    await inTransaction(service.db, async (tx) => {
      await tx.query('SELECT FROM event WHERE id = $1 FOR UPDATE', [eventIds[0]]);
      await tx.endpoint.update({ where: { id: busy.endpointId }, data: { enabled: true } });
      expect(await expirePausedOfDisabled(service.pool, DAY_MS, 2)).toBe(2);
      expect(await expirePausedOfDisabled(service.pool, DAY_MS, 2)).toBe(1);
      expect(await expirePausedOfDisabled(service.pool, DAY_MS, 2)).toBe(0);
    });
    expect((await states(eventIds)).filter((state) => state === 'expired')).toHaveLength(3);
    expect(await expirePausedOfDisabled(service.pool, DAY_MS, 2)).toBe(1);
    expect(await states(busy.eventIds)).toEqual(['pending']);
    expect(endpointId).not.toBe(busy.endpointId);
  });
});

describe('sweepers', () => {
  it('run from the start, continue until nothing is left, and end with the process', async () => {
    const { eventIds } = await endpointWith(false, [-3, -2, -1]);
    const process = startTestProcess('webhook');
    startSweepers(process, [expirePaused], service.context);
    await eventually('all are expired', async () =>
      (await states(eventIds)).every((state) => state === 'expired'),
    );
    await process.stop();
    expect(process.lines).toContainEqual(
      expect.objectContaining({ msg: 'paused deliveries expired', count: 3 }),
    );
  });

  it('survive an unavailable database', async () => {
    const process = startTestProcess('webhook');
    const pool = new Proxy(service.pool, {
      get() {
        throw new Error('database unavailable');
      },
    });
    startSweepers(process, [expirePaused], { ...service.context, pool });
    await eventually('the failure is logged', () => process.lines.some(({ level }) => level === 'warn'));
    await process.stop();
  });
});
