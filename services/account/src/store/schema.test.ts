import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { openTestDatabase } from '../../testing/test-service.ts';
import { inTransaction, openDatabase } from './database.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

const database = forAllTests(() => openTestDatabase());

async function revokedCredential(): Promise<string> {
  const [accountId, id] = [newId(), newId()];
  const dates = { createdAt: NOW, updatedAt: NOW };
  await database.db.account.create({
    data: {
      id: accountId,
      name: 'n',
      state: 'active',
      permittedScopes: [],
      terms: {},
      revision: 1n,
      ...dates,
    },
  });
  await database.db.credential.create({
    data: {
      id,
      accountId,
      environment: 'sandbox',
      publicId: id.replaceAll('-', '').slice(-16),
      secretHash: new Uint8Array(32),
      scopes: [],
      createdAt: NOW,
      revokedAt: NOW,
    },
  });
  return id;
}

describe('inTransaction', () => {
  it('wakes the relay after a commit and not after a rollback', async () => {
    let commits = 0;
    const db = openDatabase(database.pool, () => {
      commits += 1;
    });
    await inTransaction(db, (tx) => tx.account.findFirst());
    expect(commits).toBe(1);
    const failing = inTransaction(db, async () => {
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(commits).toBe(1);
  });
});

describe('the account database', () => {
  it('has every column of schema.prisma', async () => {
    const { account, credential, auditEntry, domainEvent, outbox, publishedBatch, outboxStream } =
      database.db;
    const rows = await Promise.all([
      account.findFirst(),
      credential.findFirst(),
      auditEntry.findFirst(),
      domainEvent.findFirst(),
      outbox.findFirst(),
      publishedBatch.findFirst(),
      outboxStream.findFirst(),
    ]);
    for (const row of rows) expect(row).toBeNull();
  });

  it.each([
    `UPDATE audit_entry SET actor = 'nobody'`,
    'UPDATE audit_entry SET actor = actor WHERE false',
    'DELETE FROM audit_entry',
    'TRUNCATE audit_entry',
  ])('refuses to rewrite the audit log: %s', async (statement) => {
    const line = {
      ...{ at: NOW, actor: 'ada', issuer: 'test', roles: ['staff:admin'], action: 'X', target: 't' },
      ...{ accountId: newId(), purpose: '', requestId: 'r' },
    };
    const { sequence } = await database.db.auditEntry.create({ data: line });
    await expect(database.pool.query(statement)).rejects.toThrow(/only ever added/);
    expect(await database.db.auditEntry.findUnique({ where: { sequence } })).toMatchObject(line);
  });

  it.each([null, new Date('2027-01-01T00:00:00Z')])(
    'rejects moving the end of a revoked credential to %s',
    async (at) => {
      const id = await revokedCredential();
      const revived = database.db.credential.update({ where: { id }, data: { revokedAt: at } });
      await expect(revived).rejects.toThrow();
      expect((await database.db.credential.findUnique({ where: { id } }))?.revokedAt).toEqual(NOW);
    },
  );

  it('rejects two credentials with the same public id', async () => {
    const row = await database.db.credential.findUniqueOrThrow({ where: { id: await revokedCredential() } });
    await expect(database.db.credential.create({ data: { ...row, id: newId() } })).rejects.toThrow();
  });
});
