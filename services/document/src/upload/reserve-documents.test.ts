import { eventually, forAllTests } from '@supplier/lib/testing';
import { type AccountId, type DocumentId, newId } from '@supplier/lib/text/ids';
import { openTestDatabase } from '../../testing/test-service.ts';
import { deleteDocuments } from '../erase/delete-documents.ts';
import { newObjectKey } from '../model/stored-object.ts';
import { inTransaction } from '../store/database.ts';
import { documentFromRow } from '../store/document-rows.ts';
import type { Reservation } from './reserve-documents.sql.ts';
import { reserveDocuments } from './reserve-documents.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

const database = forAllTests(() => openTestDatabase());

const reservation = (changes: Partial<Reservation> = {}): Reservation => ({
  documentId: newId<DocumentId>(),
  accountId: newId<AccountId>(),
  environment: 'production',
  externalReference: newId(),
  category: 'id',
  sealedFilename: new Uint8Array([1]),
  contentType: 'image/png',
  byteSize: 10n,
  objectKey: newObjectKey(),
  createdAt: NOW,
  uploadExpiresAt: NOW,
  ...changes,
});

describe('concurrent reservations from several processes', () => {
  it('admit exactly as many documents as the quota of a reference allows', async () => {
    const [accountId, externalReference] = [newId<AccountId>(), 'ref'];
    const quotas = { accountBytes: 1_000_000, perReference: 20 };
    const processes = [1, 2, 3, 4].map(() => reserveDocuments(database.pool, quotas));
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        processes[n % 4]?.(reservation({ accountId, externalReference, byteSize: 7n })),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'perReference')).toHaveLength(80);
    expect(await database.db.document.count({ where: { accountId } })).toBe(20);
    expect(await database.db.accountUsage.findFirst({ where: { accountId } })).toMatchObject({ bytes: 140n });
  });

  it('admit exactly as many bytes as the quota of an account allows', async () => {
    const accountId = newId<AccountId>();
    const quotas = { accountBytes: 999, perReference: 20 };
    const processes = [1, 2, 3, 4].map(() => reserveDocuments(database.pool, quotas));
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) => processes[n % 4]?.(reservation({ accountId, byteSize: 40n }))),
    );
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(24);
    expect(outcomes.filter((outcome) => outcome === 'accountBytes')).toHaveLength(76);
    expect(await database.db.accountUsage.findFirst({ where: { accountId } })).toMatchObject({ bytes: 960n });
  });

  it('never deadlock with each other or with deletions, for any accounts in a group', async () => {
    const accounts = Array.from({ length: 6 }, () => newId<AccountId>());
    const quotas = { accountBytes: 1_000_000, perReference: 20 };
    const processes = [1, 2].map(() => reserveDocuments(database.pool, quotas));
    const environments = ['production', 'sandbox'] as const;
    const some = (n: number) =>
      reservation({
        accountId: accounts[(n * 7) % accounts.length] as AccountId,
        environment: environments[(n >> 2) % 2] ?? 'sandbox',
      });
    await Promise.all(Array.from({ length: 60 }, (_, n) => processes[n % 2]?.(some(n))));
    const rows = await database.db.document.findMany({ where: { accountId: { in: accounts } } });
    const batches = [rows.slice(0, 20), rows.slice(20, 40).reverse(), rows.slice(40)];
    const deletion = { at: NOW, actor: 'test', issuer: '', roles: [] };
    await Promise.all([
      ...batches.map((batch) =>
        inTransaction(database.db, (tx) => deleteDocuments(tx, batch.map(documentFromRow), deletion)),
      ),
      ...Array.from({ length: 60 }, (_, n) => processes[n % 2]?.(some(n))),
    ]);
    const usage = await database.db.accountUsage.findMany({ where: { accountId: { in: accounts } } });
    expect(usage.reduce((sum, { bytes }) => sum + bytes, 0n)).toBe(600n);
  });
});

it('groups of two processes never deadlock when they name the same accounts in opposite orders', async () => {
  const accounts = Array.from({ length: 3 }, () => newId<AccountId>());
  const quotas = { accountBytes: 1_000_000, perReference: 20 };
  const alone = reserveDocuments(database.pool, quotas);
  for (const accountId of accounts) await alone(reservation({ accountId }));
  const holder = await database.pool.connect();
  try {
    // Both groups begin with an account that the other needs, and meet at the one in the middle.
    await holder.query('BEGIN');
    await holder.query('SELECT FROM account_usage WHERE account_id = $1 FOR UPDATE', [accounts[1]]);
    const outcomes = Promise.all(
      [accounts, accounts.toReversed()].flatMap((order) => {
        const reserve = reserveDocuments(database.pool, quotas);
        // What arrives while both lanes are busy shares a transaction.
        return [
          ...[1, 2].map(() => reservation()),
          ...order.map((accountId) => reservation({ accountId })),
        ].map(reserve);
      }),
    );
    await eventually('both groups wait', async () => {
      const { rows } = await database.pool.query<{ count: number }>(
        `SELECT count(DISTINCT pid)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE datname = current_database() AND NOT granted`,
      );
      return rows[0]?.count === 2;
    });
    await holder.query('COMMIT');
    expect(new Set(await outcomes)).toEqual(new Set(['reserved']));
  } finally {
    holder.release(true);
  }
});

it('reserveDocuments stores nothing from a group whose transaction fails', async () => {
  const accountId = newId<AccountId>();
  const reserve = reserveDocuments(database.pool, { accountBytes: 1_000_000, perReference: 20 });
  const first = reservation({ accountId });
  await reserve(first);
  await expect(reserve(reservation({ accountId, objectKey: first.objectKey }))).rejects.toThrow(/unique/);
  expect(await database.db.accountUsage.findFirst({ where: { accountId } })).toMatchObject({ bytes: 10n });
  expect(await reserve(reservation({ accountId }))).toBe('reserved');
});
