import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { eventually, forAllTests } from '@supplier/lib/testing';
import { type DocumentId, newId } from '@supplier/lib/text/ids';
import { openTestService } from '../../testing/test-service.ts';
import { inTransaction } from '../store/database.ts';
import type { DocumentRow } from '../store/document-rows.ts';
import { findAbandoned, findExpired, findWithUnknownAcceptance, holdBack } from './retention.sql.ts';
import { expireUnfinalized, retention, unacceptedRetention } from './retention.ts';

const DAY_MS = 86_400_000;

const service = forAllTests(() => openTestService());
beforeEach(() => service.submissions.held.clear());

/** Everything is old enough, and what was held back until now is not any more. */
const now = () => [service.clock.now(), service.clock.now()] as const;
const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });
const stateOf = async (id: string) => (await rowOf(id)).state;

async function unfinalized() {
  const reference = newId<string>();
  const { documentId } = await service.supplier().createUpload({ externalReference: reference });
  await service.upload(documentId);
  return { documentId, reference };
}

async function refusedByScan() {
  const { documentId, reference } = await service.finalized();
  const scannedAt = service.clock.now();
  const data = { scanStatus: 'infected', scanReason: 'malware', scanDueAt: null, scannedAt } as const;
  await service.db.document.update({ where: { id: documentId }, data: { ...data, signature: 'x' } });
  return { documentId, reference };
}

async function unaccepted() {
  const document = await service.finalized();
  service.submissions.unaccepted.add((await rowOf(document.documentId)).submissionId ?? '');
  return document;
}

/** Every sweep that removes documents: what it removes, and after how many days. */
const SWEEPS = [
  ['an upload that was never finalized', expireUnfinalized, unfinalized, 1],
  ['a document that a scan refused', retention, refusedByScan, 30],
  ['a document past its maximum retention', retention, () => service.finalized(), 2_190],
  ['a document of a submission that was never accepted', unacceptedRetention, unaccepted, 365],
] as const;

/** Runs `work` with every update of a document delayed until two transactions wait, for the delay or for each other. */
async function inStep<Result>(work: () => Promise<Result>): Promise<Result> {
  const { pool } = service;
  await pool.query(`
    CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$;
    CREATE TRIGGER hold_up BEFORE UPDATE ON document FOR EACH ROW EXECUTE FUNCTION hold_up()`);
  const holder = await pool.connect();
  try {
    await holder.query('SELECT pg_advisory_lock(1)');
    const working = work();
    await eventually('two wait', async () => {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(DISTINCT pid)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE datname = current_database() AND NOT granted`,
      );
      return rows[0]?.count === 2;
    });
    await holder.query('SELECT pg_advisory_unlock(1)');
    return await working;
  } finally {
    holder.release(true);
    await pool.query('DROP FUNCTION hold_up CASCADE');
  }
}

it('two replicas that receive different holds for the same documents each remove only unheld ones, without deadlock', async () => {
  const documents = [await unfinalized(), await unfinalized()] as const;
  service.clock.advance(DAY_MS);
  const { submissions, context } = service;
  submissions.held.add(documents[0].reference);
  submissions.afterHeld = () => {
    submissions.held.clear();
    submissions.held.add(documents[1].reference);
  };
  try {
    const sweep = () => expireUnfinalized.run(context);
    expect(await inStep(() => Promise.all([sweep(), sweep()]))).toMatchObject([{ count: 1 }, { count: 1 }]);
  } finally {
    submissions.afterHeld = () => {};
  }
});

describe('legal hold', () => {
  it.each(SWEEPS)('keeps %s until it is released', async (_, sweep, make, days) => {
    const { documentId, reference } = await make();
    const before = await rowOf(documentId);
    service.submissions.held.add(reference);
    service.clock.advance(days * DAY_MS);
    expect((await sweep.run(service.context)).count).toBe(0);
    expect(await rowOf(documentId)).toEqual({ ...before, heldBackUntil: expect.any(Date) });

    service.submissions.held.delete(reference);
    service.clock.advance(3_600_000);
    expect((await sweep.run(service.context)).count).toBe(1);
    expect(await stateOf(documentId)).toBe('deleted');
  });

  it.each(SWEEPS)('keeps %s while the submission service is unavailable', async (_, sweep, make, days) => {
    const { documentId } = await make();
    const before = await rowOf(documentId);
    service.clock.advance(days * DAY_MS);
    service.submissions.unavailable = true;
    await expect(sweep.run(service.context)).rejects.toThrow();
    expect(await rowOf(documentId)).toEqual(before);

    service.submissions.unavailable = false;
    expect((await sweep.run(service.context)).count).toBe(1);
  });

  it('keeps only the documents it names, and does not block removal of others behind them', async () => {
    service.submissions.held.add('kept');
    const many = Array.from({ length: 101 }, () =>
      service.supplier().createUpload({ externalReference: 'kept' }),
    );
    await Promise.all(many);
    service.clock.advance(1);
    const free = await unfinalized();
    service.clock.advance(DAY_MS);
    let removed = 0;
    for (let more = true; more; ) {
      const swept = await expireUnfinalized.run(service.context);
      removed += swept.count;
      more = swept.more;
    }
    expect(removed).toBe(1);
    expect(await stateOf(free.documentId)).toBe('deleted');
  });

  it.each<[string, (typeof SWEEPS)[number][2], (limit: number) => Promise<DocumentRow[]>]>([
    [
      'of uploads that were never finalized',
      unfinalized,
      (limit) => findAbandoned(service.context, ...now(), limit),
    ],
    [
      'past their retention',
      () => service.finalized(),
      (limit) =>
        findExpired(service.context, { retainedSince: now()[0], refusedSince: now()[0] }, now()[1], limit),
    ],
    [
      'whose submissions may not be accepted',
      unaccepted,
      (limit) => findWithUnknownAcceptance(service.context, ...now(), limit),
    ],
  ])('documents %s that are held back leave the whole of a batch to others', async (_, make, find) => {
    const ids: DocumentId[] = [];
    for (let count = 0; count < 4; count += 1) {
      ids.push((await make()).documentId as DocumentId);
      service.clock.advance(1);
    }
    const isOurs = ({ documentId }: DocumentRow) => ids.includes(documentId);
    // Documents of other tests are held back, too.
    const others = (await find(1_000)).filter((one) => !isOurs(one)).map(({ documentId }) => documentId);
    const until = new Date(now()[1].getTime() + 1);
    await inTransaction(service.db, (tx) => holdBack(tx, [...others, ...ids.slice(0, 2)], until));
    expect((await find(2)).map(({ documentId }) => documentId)).toEqual(ids.slice(2));
    service.clock.advance(1);
    expect((await find(1_000)).filter(isOurs)).toHaveLength(4);
  });

  it('keeps documents held after the check: nothing is removed based on a stale answer', async () => {
    const { documentId } = await unfinalized();
    service.clock.advance(DAY_MS);
    service.submissions.afterHeld = () => service.clock.advance(3_000);
    try {
      await expect(expireUnfinalized.run(service.context)).rejects.toThrow('took too long');
    } finally {
      service.submissions.afterHeld = () => {};
    }
    expect(await stateOf(documentId)).toBe('awaiting_upload');
  });
});

describe('DeleteDocument', () => {
  const refusalTo = (documentId: string) =>
    service
      .staff()
      .deleteDocument({ documentId })
      .then(() => undefined, refusalOf);

  it('is refused for a document under legal hold, and while holds are unknown', async () => {
    const { documentId, reference } = await service.finalized();
    service.submissions.held.add(reference);
    expect(await refusalTo(documentId)).toMatchObject({ code: RefusalCode.WRONG_STATE });
    service.submissions.held.clear();
    service.submissions.unavailable = true;
    expect(await refusalTo(documentId)).toMatchObject({ code: RefusalCode.SERVICE_UNAVAILABLE });
    expect(await stateOf(documentId)).toBe('finalized');

    service.submissions.unavailable = false;
    expect(await refusalTo(documentId)).toBeUndefined();
    expect(await stateOf(documentId)).toBe('deleted');
  });
});
