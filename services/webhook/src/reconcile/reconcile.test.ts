import { Code, ConnectError } from '@connectrpc/connect';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import { eventually, forAllTests, startTestProcess } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { fakeSubmissions } from '../../testing/fake-submissions.ts';
import { consume, type StatusChanged, statusChanged } from '../../testing/status-changes.ts';
import { openTestService } from '../../testing/test-service.ts';
import type { Context } from '../context.ts';
import { eventCounts } from '../event-counts.ts';
import type { ListedChange, Span } from '../model/reconciliation.ts';
import { reconcile } from './reconcile.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The changes listed by the submission service, and the requested periods. */
let listed: ListedChange[] = [];
let spans: Span[] = [];
let context: Context;
/** Returns how many changes the consumer has not taken; it may take some during the call. */
let readLag: () => Promise<number | undefined>;

const service = forAllTests(() => openTestService());
const submissions = fakeSubmissions(service);
beforeAll(async () => {
  context = {
    ...service.context,
    ownerOf: submissions.ownerOf,
    restate: submissions.restate,
    readLag: () => readLag(),
    listChanges: async (span) => {
      spans.push(span);
      return { changes: listed, next: '' };
    },
  };
});
beforeEach(async () => {
  await service.pool.query('TRUNCATE event, attempt, task_turn, restatement, failed_event');
  listed = [];
  spans = [];
  readLag = async () => 0;
  submissions.restated.length = 0;
  submissions.before = async () => {};
});

/** Creates an endpoint that has been active for two days. */
async function endpoint(): Promise<AccountId> {
  service.clock.set(new Date(Date.now() - 48 * HOUR_MS));
  const { accountId } = await service.createEndpoint();
  service.clock.set(new Date());
  return accountId;
}

interface Made {
  readonly lost?: boolean;
  readonly submissionId?: SubmissionId;
  readonly unpublished?: boolean;
  /** Receives the event instead of the consumer. */
  readonly backlog?: StatusChanged[];
}

/** Creates a change listed by the submission service, which has arrived unless it is `lost` or in a `backlog`. */
async function change(
  accountId: AccountId,
  msAgo: number,
  { lost = false, submissionId = newId<SubmissionId>(), unpublished = false, backlog }: Made = {},
): Promise<SubmissionId> {
  const occurredAt = new Date(Date.now() - msAgo);
  const made = statusChanged({ accountId, submissionId, occurredAt });
  if (backlog) backlog.push(made);
  else if (!lost) await consume(context, made);
  submissions.owners.set(submissionId, { accountId, environment: 'sandbox' });
  const { eventId } = made;
  listed.push({ eventId, submissionId, accountId, environment: 'sandbox', occurredAt, unpublished });
  return submissionId;
}

const restated = () => submissions.restated.map(({ submissionId }) => submissionId);
/** Moves time to the next turn. */
const nextTurn = () => service.pool.query(`UPDATE task_turn SET next_at = now() - interval '1 second'`);
const doneUntil = async () => (await service.db.taskTurn.findFirst())?.doneUntil ?? undefined;

describe('change lost in transit', () => {
  it('is found and repaired automatically, counted and logged', async () => {
    const accountId = await endpoint();
    const hole = await change(accountId, 5 * MINUTE_MS, { lost: true });
    await change(accountId, 5 * MINUTE_MS, { lost: true, submissionId: hole });
    await change(accountId, MINUTE_MS);
    const process = startTestProcess('webhook');
    startSweepers(process, [reconcile], { ...context, ...eventCounts(process.metrics) });
    try {
      await eventually('it is repaired', async () => {
        const where = { submissionId: hole, change: 'redelivery' as const, state: 'pending' as const };
        return (await service.db.event.count({ where })) === 1;
      });
    } finally {
      await process.stop();
    }
    expect(restated()).toEqual([hole]);
    expect(process.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: reconcile.found, count: 2 }),
    );
    const metrics = await process.metrics.metrics();
    expect(metrics).toContain('sss_webhook_reconciliation_faults_total{fault="missing"} 2');
    expect(metrics).toContain('sss_webhook_reconciliation_restated_total 1');

    await nextTurn();
    expect(await reconcile.run(context)).toEqual({ count: 0, more: false });
    expect(restated()).toEqual([hole]);
  });

  it('is not assumed lost while nothing later has arrived, since the consumer may be behind', async () => {
    const accountId = await endpoint();
    await change(accountId, 10 * MINUTE_MS);
    const behind = await change(accountId, 5 * MINUTE_MS, { lost: true });
    await reconcile.run(context);
    expect(restated()).toEqual([]);
    expect(await doneUntil()).toBeUndefined();
    await change(accountId, MINUTE_MS);
    await nextTurn();
    await reconcile.run(context);
    expect(restated()).toEqual([behind]);
  });

  it.each([3, undefined])(
    "is late at any age while the consumer's lag is %p, until changes an hour later have arrived",
    async (behindBy) => {
      const accountId = await endpoint();
      await change(accountId, 4 * HOUR_MS);
      const late = await change(accountId, 3 * HOUR_MS, { lost: true });
      await change(accountId, 3 * HOUR_MS - 2 * MINUTE_MS);
      readLag = async () => behindBy;
      await reconcile.run(context);
      expect(restated()).toEqual([]);
      expect(await doneUntil()).toBeUndefined();
      await change(accountId, 2 * HOUR_MS);
      await nextTurn();
      await reconcile.run(context);
      expect(restated()).toEqual([late]);
    },
  );

  it('is not reported when it arrived during the comparison, as part of a backlog', async () => {
    const accountId = await endpoint();
    const backlog: StatusChanged[] = [];
    for (let minutes = 180; minutes > 175; minutes -= 1)
      await change(accountId, minutes * MINUTE_MS, { backlog });
    const lost = await change(accountId, 175 * MINUTE_MS, { lost: true });
    await change(accountId, MINUTE_MS);
    readLag = async () => {
      for (const late of backlog.splice(0)) await consume(context, late);
      return 0;
    };
    await reconcile.run(context);
    expect(restated()).toEqual([lost]);
    expect(await doneUntil()).toBeDefined();
  });

  it('is late at any age while it awaits publication, even after later changes have arrived', async () => {
    const accountId = await endpoint();
    const waiting = await change(accountId, 3 * HOUR_MS, { lost: true, unpublished: true });
    await change(accountId, MINUTE_MS);
    await reconcile.run(context);
    expect(restated()).toEqual([]);
    expect(await doneUntil()).toBeUndefined();
    listed = listed.map((one) => ({ ...one, unpublished: false }));
    await nextTurn();
    await reconcile.run(context);
    expect(restated()).toEqual([waiting]);
  });

  it('is late while it is retried here, and lost once the retries are abandoned', async () => {
    const accountId = await endpoint();
    const failing = await change(accountId, 3 * HOUR_MS, { lost: true });
    await change(accountId, MINUTE_MS);
    await service.pool.query(
      `INSERT INTO failed_event (consumer, event_id, type, subject, envelope, due_at, failure)
       VALUES ('webhook', $1, 'x', 'x', '', now(), 'x')`,
      [listed[0]?.eventId],
    );
    await reconcile.run(context);
    expect(restated()).toEqual([]);
    await service.pool.query('UPDATE failed_event SET parked_at = now()');
    await nextTurn();
    await reconcile.run(context);
    expect(restated()).toEqual([failing]);
  });

  it('is certainly lost after an hour, even if nothing later happened', async () => {
    const old = await change(await endpoint(), HOUR_MS, { lost: true });
    await reconcile.run(context);
    expect(restated()).toEqual([old]);
  });

  it('is not repaired when no endpoint was active, nor repeatedly when the repair has no effect', async () => {
    await change(newId<AccountId>(), 2 * HOUR_MS, { lost: true });
    const hopeless = await change(await endpoint(), 2 * HOUR_MS, { lost: true });
    for (let round = 0; round < 3; round += 1) {
      expect(await reconcile.run(context)).toEqual({ count: 1, more: false });
      await service.db.event.deleteMany({ where: { submissionId: hopeless } });
      await nextTurn();
    }
    expect(restated()).toEqual([hopeless]);
    await service.pool.query(`UPDATE restatement SET restated_at = restated_at - interval '6 hours'`);
    for (let round = 0; round < 2; round += 1) {
      await reconcile.run(context);
      expect(restated()).toEqual([hopeless, hopeless]);
      await service.db.event.deleteMany({ where: { submissionId: hopeless } });
      await nextTurn();
    }
  });

  it('is repaired later when the submission service is unavailable', async () => {
    const lost = await change(await endpoint(), 2 * HOUR_MS, { lost: true });
    submissions.before = async () => {
      throw new ConnectError('unavailable', Code.Unavailable);
    };
    await expect(reconcile.run(context)).rejects.toThrow('unavailable');
    expect(await doneUntil()).toBeUndefined();
    submissions.before = async () => {};
    await nextTurn();
    await reconcile.run(context);
    expect(restated()).toEqual([lost]);
  });

  it('is repaired even after a thousand other lost changes', async () => {
    const accountId = await endpoint();
    const submissionId = newId<SubmissionId>();
    for (let index = 0; index < 1_000; index += 1)
      await change(accountId, 2 * HOUR_MS, { lost: true, submissionId });
    const beyond = await change(accountId, 2 * HOUR_MS, { lost: true });
    await reconcile.run(context);
    expect(restated()).toEqual([submissionId, beyond]);
  });

  it('is repaired in bounded batches until none is left', async () => {
    const accountId = await endpoint();
    for (let index = 0; index < 201; index += 1) await change(accountId, 2 * HOUR_MS, { lost: true });
    const counts: number[] = [];
    const counting = { ...context, countReconciled: (_faults: unknown, count: number) => counts.push(count) };
    await reconcile.run(counting);
    expect(restated()).toHaveLength(200);
    expect(await doneUntil()).toBeUndefined();
    await nextTurn();
    await reconcile.run(counting);
    expect(counts).toEqual([200, 1]);
    expect(new Set(restated()).size).toBe(201);
    expect(await doneUntil()).toBeDefined();
  });
});

describe('reconciliation', () => {
  it('compares a span again while it has more changes than one run reads', async () => {
    let pages = 0;
    const listing = async (left: number) => {
      pages = 0;
      const listChanges: Context['listChanges'] = async () => {
        pages += 1;
        return { changes: [], next: pages < left ? 'next' : '' };
      };
      await reconcile.run({ ...context, listChanges });
      await nextTurn();
    };
    await listing(4_001);
    expect([pages, await doneUntil()]).toEqual([2_000, undefined]);
    await listing(2_001);
    expect([pages, await doneUntil()]).toEqual([2_000, undefined]);
    await listing(2_000);
    expect([pages, await doneUntil()]).toEqual([2_000, expect.any(Date)]);
  });

  it('is done by one replica for all, once per interval', async () => {
    await Promise.all([1, 2, 3].map(() => reconcile.run(context)));
    await reconcile.run(context);
    expect(spans).toHaveLength(1);
    await nextTurn();
    await Promise.all([1, 2, 3].map(() => reconcile.run(context)));
    expect(spans).toHaveLength(2);
  });

  it('continues slightly before where it ended: initially over a day, and after a pause over its length', async () => {
    await reconcile.run(context);
    const [first] = spans;
    if (!first) throw new Error('nothing was listed');
    expect(first.until.getTime() - first.since.getTime()).toBe(24 * HOUR_MS);
    expect(Number(await service.now()) - first.until.getTime()).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(await doneUntil()).toEqual(first.until);
    await nextTurn();
    await reconcile.run(context);
    expect(spans[1]?.since).toEqual(new Date(first.until.getTime() - context.reconcileEveryMs));
    await service.pool.query(
      `UPDATE task_turn SET next_at = now() - interval '1 second', done_until = now() - interval '3 hours'`,
    );
    await reconcile.run(context);
    const lengthMs = Number(spans[2]?.until) - Number(spans[2]?.since);
    expect(Math.round(lengthMs / MINUTE_MS)).toBe(3 * 60 + 10 - 1);
  });
});
