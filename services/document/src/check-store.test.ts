import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '@supplier/lib/text/ids';
import { newKey } from '../testing/object-store-suite.ts';
import { openTestLocalStore, type TestLocalStore } from '../testing/test-local-store.ts';
import { openTestDatabase, type TestDatabase } from '../testing/test-service.ts';
import { upload } from '../testing/transfer.ts';

// Each test starts the command as a separate process.
jest.setTimeout(60_000);

let database: TestDatabase;
let local: TestLocalStore;
beforeAll(async () => {
  [database, local] = await Promise.all([openTestDatabase(), openTestLocalStore()]);
});
afterAll(async () => {
  await database.db.$disconnect();
  await Promise.all([database.close(), local.close()]);
});

/** Stores a finalized 3-byte document and its object. */
async function storeDocument() {
  const [objectKey, heldKey] = [newKey(), newKey()];
  const at = new Date();
  const contentType = 'text/csv';
  const offer = { key: objectKey, contentType, byteSize: 3, expiresAt: new Date(at.getTime() + 60_000) };
  await upload(await local.store.uploadUrl(offer), randomBytes(3), contentType);
  const from = { area: 'incoming', key: objectKey } as const;
  const etag = (await local.store.stat('incoming', objectKey))?.etag ?? '';
  await local.store.copy({ ...from, etag }, { area: 'held', key: heldKey });
  await local.store.remove('incoming', objectKey);
  const id = newId<string>();
  await database.db.document.create({
    data: {
      id,
      accountId: newId<string>(),
      environment: 'production',
      externalReference: id,
      category: 'accounts',
      filename: new Uint8Array(1),
      contentType,
      byteSize: 3n,
      objectKey,
      state: 'finalized',
      scanStatus: 'pending_scan',
      scanDueAt: at,
      createdAt: at,
      finalizedAt: at,
      submissionId: newId<string>(),
      uploadExpiresAt: at,
      heldKey,
      area: 'held',
      etag,
    },
  });
  return { id, heldKey };
}

function check(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SSS_DEPLOYMENT: 'local',
    SSS_DATABASE_URL: database.databaseUrl,
    SSS_STORE: 'local',
    SSS_STORE_DIR: local.root,
    // The command must accept the full environment of the service.
    SSS_UPLOAD_PORT: '1',
  };
  const path = fileURLToPath(new URL('check-store.ts', import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

describe('check-store', () => {
  it('exits with 0 when store and database agree, and with 1 and a report when they do not', async () => {
    const { id, heldKey } = await storeDocument();
    expect(await check()).toEqual({ code: 0, out: '1 objects, 1 documents, 0 exceptions\n', err: '' });
    await local.store.remove('held', heldKey);
    const text = await check();
    expect(text.code).toBe(1);
    expect(text.out).toContain(`missing      held/${heldKey}: document ${id} (pending_scan)\n`);
    expect(text.out).toContain('0 objects, 1 documents, 1 exceptions\n');
    const json = await check('--json', '--remove-orphans');
    expect(json.code).toBe(1);
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      expect.objectContaining({ kind: 'missing', documentId: id, area: 'held', key: heldKey }),
      { kind: 'summary', objects: 0, documents: 1, exceptions: 1, removalsScheduled: 0 },
    ]);
  });

  it('fails without reporting missing objects while the store is unavailable', async () => {
    await rm(join(local.root, 'held'), { recursive: true });
    const { code, out } = await check('--remove-orphans');
    expect([code, out.includes('missing')]).toEqual([1, false]);
    expect(out).toContain('StoreUnavailable');
  });
});
