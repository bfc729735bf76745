import { newId } from '@supplier/lib/ids';
import { runMigrations } from '@supplier/lib/migrations';
import { openTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { Prisma } from './generated/client.ts';

const serviceDir = new URL('../../', import.meta.url);
const NOW = new Date('2026-11-20T12:00:00.000Z');

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

const reserved = (): Prisma.DocumentCreateInput => ({
  id: newId(),
  accountId: newId(),
  environment: 'production',
  externalReference: 'ref-1',
  category: 'bank_statements',
  filename: new Uint8Array([1, 2, 3]),
  contentType: 'application/pdf',
  byteSize: 26_214_400n,
  objectKey: newId(),
  state: 'awaiting_upload',
  createdAt: NOW,
});

describe('the document database', () => {
  it('has every column that schema.prisma says, and nothing to apply a second time', async () => {
    const { document, outbox, outboxStream, inbox } = database.db;
    const rows = await Promise.all([
      document.findFirst(),
      outbox.findFirst(),
      outboxStream.findFirst(),
      inbox.findFirst(),
    ]);
    for (const row of rows) expect(row).toBeNull();
    expect(await runMigrations({ databaseUrl: database.databaseUrl, serviceDir })).toEqual([]);
  });

  it('keeps a reserved document and its way to a finalized one', async () => {
    const { document } = database.db;
    const { id } = await document.create({ data: reserved() });
    const finalized = { submissionId: newId(), finalizedAt: NOW, scanStatus: 'pending_scan' } as const;
    await document.update({ where: { id }, data: { state: 'finalized', ...finalized } });
    expect(await document.findUnique({ where: { id } })).toMatchObject({ state: 'finalized', ...finalized });
  });

  it.each<[string, Partial<Prisma.DocumentCreateInput>]>([
    ['without bytes', { byteSize: 0n }],
    ['finalized without a submission', { state: 'finalized', finalizedAt: NOW, scanStatus: 'clean' }],
    ['finalized without a scan status', { state: 'finalized', finalizedAt: NOW, submissionId: newId() }],
    ['scanned before it was finalized', { scanStatus: 'clean' }],
  ])('refuses a document %s', async (_, fault) => {
    await expect(database.db.document.create({ data: { ...reserved(), ...fault } })).rejects.toThrow();
    expect(await database.db.document.count({ where: fault })).toBe(0);
  });

  it('refuses two documents with one object', async () => {
    const first = reserved();
    await database.db.document.create({ data: first });
    await expect(database.db.document.create({ data: { ...first, id: newId() } })).rejects.toThrow();
  });
});
