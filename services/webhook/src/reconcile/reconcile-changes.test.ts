import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { consume, type StatusChanged, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import { claimAttempts } from '../deliver/queue.sql.ts';
import type { ListChanges, ListedChange } from '../model/reconciliation.ts';
import { reconcileChanges, repairChanges } from './repair-changes.ts';

const at = (ms: number) => new Date(START.getTime() + ms);
const SPAN = { since: START, until: at(3_600_000) };

const service = forAllTests(() => openTestService());
beforeEach(() => service.clock.set(START));

/** Returns a fake of the submission service's list: the changes in the given order, two per page. */
function listing(changes: readonly ListedChange[]): ListChanges {
  return async (_span, pageToken) => {
    const from = Number(pageToken || '0');
    const next = from + 2 < changes.length ? String(from + 2) : '';
    return { changes: changes.slice(from, from + 2), next };
  };
}

function listed(
  { eventId, submissionId }: StatusChanged,
  accountId: AccountId,
  occurredAt: Date,
): ListedChange {
  return { eventId, submissionId, accountId, environment: 'sandbox', occurredAt, unpublished: false };
}

const reconcile = (changes: readonly ListedChange[]) =>
  reconcileChanges({ pool: service.pool, listChanges: listing(changes) }, SPAN);

/** Creates a change of an account's submission, which has arrived unless `lost`. */
async function change(accountId: AccountId, ms: number, options: { lost?: boolean; of?: SubmissionId } = {}) {
  const made = statusChanged({
    accountId,
    occurredAt: at(ms),
    ...(options.of ? { submissionId: options.of } : {}),
  });
  if (!options.lost) await consume(service.context, made);
  return listed(made, accountId, at(ms));
}

const faultsOf = async (changes: readonly ListedChange[]) =>
  (await reconcile(changes)).exceptions.map(({ fault, change: { eventId } }) => [fault, eventId]);

describe('reconciliation', () => {
  it('finds no fault with changes that were delivered, ended, waiting, superseded or outside the period', async () => {
    const { accountId } = await service.createEndpoint();
    const submissionId = newId<SubmissionId>();
    const merged = [];
    for (let ms = 1; ms <= 7; ms += 1) merged.push(await change(accountId, ms, { of: submissionId }));
    const settled = [];
    for (const state of ['delivered', 'exhausted', 'expired'] as const) {
      const one = await change(accountId, 10);
      const attempts = state === 'expired' ? 0 : 8;
      await service.db.event.update({
        where: { id: one.eventId },
        data: { state, settledAt: at(20), nextAttemptAt: null, attemptCount: attempts },
      });
      settled.push(one);
    }
    const before = await change(accountId, -1);
    const nobody = await change(newId<AccountId>(), 1);
    const found = await reconcile([...merged, ...settled, before, nobody]);
    expect(found).toEqual({
      checked: 12,
      exceptions: [],
      omitted: 0,
      latestOnRecord: at(10),
      complete: true,
    });
  });

  it('finds a change that never arrived', async () => {
    const { accountId } = await service.createEndpoint();
    const lost = await change(accountId, 1, { lost: true });
    expect(await faultsOf([await change(accountId, 2), lost])).toEqual([['missing', lost.eventId]]);
  });

  it('expects no event when no endpoint was active, or when a later event of the submission replaces it', async () => {
    const { accountId } = await service.createEndpoint();
    const before = await change(accountId, -1, { lost: true });
    const nobodys = await change(newId<AccountId>(), 1, { lost: true });
    const covered = await change(accountId, 1, { lost: true });
    expect(await faultsOf([before, nobodys, covered])).toEqual([['missing', covered.eventId]]);
    // Recorded later, but not a later change.
    await change(accountId, 0, { of: covered.submissionId });
    expect(await faultsOf([before, nobodys, covered])).toEqual([['missing', covered.eventId]]);
    await change(accountId, 2, { of: covered.submissionId });
    expect(await faultsOf([before, nobodys, covered])).toEqual([]);
  });

  it.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ] as const)(
    'expects events of %s only while its own endpoint is active, not that of %s',
    async (...order) => {
      const accountId = newId<AccountId>();
      const lost = listed(statusChanged({ accountId, occurredAt: at(-5) }), accountId, at(-5));
      for (const environment of order) {
        const { endpointId } = await service.createEndpoint({ accountId, environment });
        if (environment !== order[0]) continue;
        await service.db.endpointActivity.create({
          data: { endpointId, activeFrom: at(-10), activeUntil: at(-4) },
        });
      }
      const faults = await Promise.all(
        (['sandbox', 'production'] as const).map((environment) => faultsOf([{ ...lost, environment }])),
      );
      expect(faults.map(({ length }) => length)).toEqual(order[0] === 'sandbox' ? [1, 0] : [0, 1]);
    },
  );

  it('finds a superseded event whose successor is missing', async () => {
    const { accountId } = await service.createEndpoint();
    const first = await change(accountId, 1);
    const second = await change(accountId, 2, { of: first.submissionId });
    const third = await change(accountId, 3, { of: first.submissionId });
    expect(await faultsOf([first, second])).toEqual([]);
    await service.db.event.delete({ where: { id: third.eventId } });
    expect(await faultsOf([first, second])).toEqual([
      ['superseded_by_nothing', first.eventId],
      ['superseded_by_nothing', second.eventId],
    ]);
  });

  it('finds superseded events that refer to each other in a cycle, and terminates', async () => {
    const { accountId } = await service.createEndpoint();
    const first = await change(accountId, 1);
    const second = await change(accountId, 2, { of: first.submissionId });
    await service.db.event.update({
      where: { id: second.eventId },
      data: { state: 'superseded', supersededBy: first.eventId, nextAttemptAt: null, settledAt: at(3) },
    });
    expect(await faultsOf([first, second])).toEqual([
      ['superseded_by_nothing', first.eventId],
      ['superseded_by_nothing', second.eventId],
    ]);
  });

  it('finds an event recorded for another submission or time', async () => {
    const { accountId } = await service.createEndpoint();
    const one = await change(accountId, 1);
    expect(await faultsOf([{ ...one, submissionId: newId<SubmissionId>() }])).toEqual([
      ['differs', one.eventId],
    ]);
    expect(await faultsOf([{ ...one, occurredAt: at(2) }])).toEqual([['differs', one.eventId]]);
  });

  it('finds an attempt that outlived its lease, and one that is long overdue', async () => {
    const { accountId, endpointId } = await service.createEndpoint();
    const leased = await change(accountId, 1);
    await claimAttempts(service.pool, [{ endpointId, slots: 1 }], 20_000);
    const due = await change(accountId, 2);
    await service.passTime(50_000);
    expect(await faultsOf([leased, due])).toEqual([]);
    await service.passTime(30_001);
    expect(await faultsOf([leased, due])).toEqual([['lease_lost', leased.eventId]]);
    await service.passTime(220_000);
    expect(await faultsOf([leased, due])).toEqual([
      ['lease_lost', leased.eventId],
      ['overdue', due.eventId],
    ]);
    const onlyTheLease = [['lease_lost', leased.eventId]];
    await service.db.endpointHealth.create({ data: { endpointId, failingSince: START, failedAttempts: 1n } });
    expect(await faultsOf([leased, due])).toEqual(onlyTheLease);
    await service.db.endpointHealth.delete({ where: { endpointId } });
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    expect(await faultsOf([leased, due])).toEqual(onlyTheLease);
  });

  it('checks at most the allowed number of pages', async () => {
    const { accountId } = await service.createEndpoint();
    const changes = [];
    for (let ms = 1; ms <= 5; ms += 1) changes.push(await change(accountId, ms));
    const parts = { pool: service.pool, listChanges: listing(changes) };
    expect(await reconcileChanges(parts, SPAN)).toMatchObject({ checked: 5, complete: true });
    expect(await reconcileChanges({ ...parts, maxPages: 2 }, SPAN)).toMatchObject({
      checked: 4,
      complete: false,
    });
  });

  it('keeps the first 10,000 exceptions and counts the rest', async () => {
    const { accountId } = await service.createEndpoint();
    const changes = Array.from({ length: 10_002 }, () => ({
      eventId: newId<EventId>(),
      submissionId: newId<SubmissionId>(),
      accountId,
      environment: 'sandbox' as const,
      occurredAt: START,
      unpublished: false,
    }));
    const listChanges: ListChanges = async () => ({ changes, next: '' });
    const found = await reconcileChanges({ pool: service.pool, listChanges }, SPAN);
    expect([found.exceptions.length, found.omitted]).toEqual([10_000, 2]);
    const restate = async () => undefined;
    const context = { ...service.context, restate, readLag: async () => 0 };
    const repaired = await repairChanges(context, { ...found, exceptions: [] }, START);
    expect(repaired).toEqual({ restated: 0, settled: false });
  });
});
