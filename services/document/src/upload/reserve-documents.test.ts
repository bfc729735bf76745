import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type DocumentId, newId } from '@supplier/lib/text/ids';
import { openTestDatabase } from '../../testing/test-service.ts';
import { deleteDocuments } from '../erase/delete-documents.sql.ts';
import { newObjectKey } from '../model/stored-object.ts';
import { inTransaction } from '../store/database.ts';
import { documentFromRow } from '../store/document-rows.ts';
import { type Reservation, reserveDocuments } from './reserve-documents.sql.ts';

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
    const deletion = { at: NOW, actor: 'test', issuer: '', roles: [], action: 'Test' };
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

it('groups of two processes never deadlock, in whatever order they name the same accounts', async () => {
  const accounts = Array.from({ length: 40 }, () => newId<AccountId>());
  const quotas = { accountBytes: 1_000_000, perReference: 20 };
  const processes = [1, 2].map(() => reserveDocuments(database.pool, quotas));
  for (let round = 0; round < 8; round += 1) {
    const outcomes = await Promise.all(
      processes.flatMap((reserve, at) =>
        (at === 0 ? accounts : accounts.toReversed()).map((accountId) => reserve(reservation({ accountId }))),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['reserved']));
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
