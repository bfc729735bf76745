import { runMigrations } from '@supplier/lib/data/migrations';
import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { openTestDatabase } from '../../testing/test-service.ts';
import type { Prisma } from './generated/client.ts';

const serviceDir = new URL('../../', import.meta.url);
const NOW = new Date('2026-11-20T12:00:00.000Z');

const database = forAllTests(() => openTestDatabase());

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
  uploadExpiresAt: NOW,
});

/** The columns of a finalized document awaiting its scan. */
const waiting = () =>
  ({
    state: 'finalized',
    submissionId: newId(),
    finalizedAt: NOW,
    heldKey: newId(),
    etag: 'etag',
    area: 'held',
    scanStatus: 'pending_scan',
    scanDueAt: NOW,
  }) as const;

/** The columns after a scan without findings. */
const clean = () => ({ ...waiting(), area: 'clean', scanStatus: 'clean', scanDueAt: null }) as const;

/** The columns after a scan with a fault of the content. */
const failed = () =>
  ({ ...waiting(), scanDueAt: null, scanStatus: 'scan_failed', scanReason: 'content_mismatch' }) as const;

describe('document database', () => {
  it('matches every column of schema.prisma, and has no migration left to apply', async () => {
    const {
      document,
      accountUsage,
      objectRemoval,
      auditEntry,
      domainEvent,
      outbox,
      publishedBatch,
      outboxStream,
    } = database.db;
    const rows = await Promise.all([
      document.findFirst(),
      accountUsage.findFirst(),
      objectRemoval.findFirst(),
      auditEntry.findFirst(),
      domainEvent.findFirst(),
      outbox.findFirst(),
      publishedBatch.findFirst(),
      outboxStream.findFirst(),
    ]);
    for (const row of rows) expect(row).toBeNull();
    expect(await runMigrations({ databaseUrl: database.databaseUrl, serviceDir })).toEqual([]);
  });

  it('stores every step from a reserved document to a deleted one', async () => {
    const { document } = database.db;
    const { id } = await document.create({ data: reserved() });
    for (const step of [waiting(), { ...clean(), heldKey: newId() }]) {
      await document.update({ where: { id }, data: step });
      expect(await document.findUnique({ where: { id } })).toMatchObject(step);
    }
    const deleted = { state: 'deleted', deletedAt: NOW } as const;
    await document.update({ where: { id }, data: deleted });
    expect(await document.findUnique({ where: { id } })).toMatchObject(deleted);
  });

  it.each<[string, Partial<Prisma.DocumentCreateInput>]>([
    ['without bytes', { byteSize: 0n }],
    ['finalized without a submission', { ...waiting(), submissionId: null }],
    ['finalized without a scan status', { ...waiting(), scanStatus: null, scanDueAt: null }],
    ['finalized without a stored object', { ...waiting(), etag: null }],
    ['finalized where suppliers can write', { ...waiting(), area: 'incoming' }],
    ['scanned before it was finalized', { scanStatus: 'clean' }],
    ['clean outside the clean store', { ...clean(), area: 'held' }],
    [
      'infected in the clean store',
      { ...clean(), scanStatus: 'infected', scanReason: 'malware', signature: 'x' },
    ],
    [
      'infected without a finding',
      { ...waiting(), scanDueAt: null, scanStatus: 'infected', scanReason: 'malware' },
    ],
    ['whose scan failed without a reason', { ...waiting(), scanDueAt: null, scanStatus: 'scan_failed' }],
    ['whose scan failed because of malware', { ...failed(), scanReason: 'malware' }],
    ['infected for another reason', { ...failed(), scanStatus: 'infected', signature: 'x' }],
    ['that is clean with a reason', { ...clean(), scanReason: 'encrypted' }],
    ['that is clean with a signature', { ...clean(), signature: 'x' }],
    ['that is clean with a fault', { ...clean(), scanRule: 'csv-dde' }],
    ['with the place of no fault', { ...waiting(), scanPart: 'line 1' }],
    [
      'with a place that could be text of the document',
      { ...failed(), scanRule: 'csv-dde', scanPart: 'x'.repeat(61) },
    ],
    ['that waits for a scan without a next attempt', { ...waiting(), scanDueAt: null }],
    ['that waits for a scan and is being scanned', { ...waiting(), scanLeaseUntil: NOW }],
    ['that is clean and waits for a scan', { ...clean(), scanDueAt: NOW }],
    ['deleted without a time', { state: 'deleted' }],
  ])('rejects a document %s', async (_, fault) => {
    const data = { ...reserved(), ...fault };
    await expect(database.db.document.create({ data })).rejects.toThrow(/constraint/i);
    expect(await database.db.document.count({ where: { id: data.id } })).toBe(0);
  });

  it('rejects changes to the audit log', async () => {
    const { auditEntry } = database.db;
    const line = {
      ...{ at: NOW, actor: 'jo', issuer: 'test', roles: [], action: 'a', target: 't' },
      ...{ accountId: newId(), purpose: '', requestId: 'r' },
    };
    const { sequence } = await auditEntry.create({ data: line });
    await expect(auditEntry.update({ where: { sequence }, data: { actor: 'mo' } })).rejects.toThrow();
    await expect(auditEntry.deleteMany()).rejects.toThrow();
    expect(await auditEntry.count()).toBe(1);
  });

  it('rejects a negative usage', async () => {
    const usage = { accountId: newId(), environment: 'production', bytes: -1n } as const;
    await expect(database.db.accountUsage.create({ data: usage })).rejects.toThrow();
  });

  it('rejects two documents with the same object', async () => {
    const first = reserved();
    await database.db.document.create({ data: first });
    await expect(database.db.document.create({ data: { ...first, id: newId() } })).rejects.toThrow();
  });
});
