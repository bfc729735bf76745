import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import { LIMITS, openTestService, START } from '../../testing/test-service.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { filenameAad } from '../store/document-rows.ts';

const service = forAllTests(() => openTestService({ accountBytes: 100_000_000, perReference: 20 }));
afterEach(() => service.restoreStore());

const refusal = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return refusalOf(error);
};
const used = async (accountId: string) =>
  (await service.db.accountUsage.findFirst({ where: { accountId } }))?.bytes ?? 0n;

describe('reserved document', () => {
  it('has an id, a unique URL and a sealed filename, for any filename', async () => {
    const supplier = service.supplier();
    const names = [
      '../../etc/passwd',
      '\u202efdp.exe',
      'a'.repeat(255),
      '🙂'.repeat(255),
      ' ',
      "'; DROP TABLE document",
    ];
    const urls = new Set<string>();
    for (const filename of names) {
      const { documentId, uploadUrl } = await supplier.createUpload({ filename });
      const row = await service.db.document.findUniqueOrThrow({ where: { id: documentId } });
      expect(row.objectKey).toMatch(/^[0-9a-f]{64}$/);
      if (filename.length > 4) expect(Buffer.from(row.filename).includes(filename)).toBe(false);
      const opened = service.context.keyRing.open(row.filename, filenameAad(row.id as never));
      expect(Buffer.from(opened).toString()).toBe(filename);
      expect(uploadUrl).toContain(row.objectKey);
      expect(uploadUrl).not.toContain(documentId);
      urls.add(uploadUrl);
    }
    expect(urls.size).toBe(names.length);
  });

  it('is stored as requested, with the expiry of its URL', async () => {
    const supplier = service.supplier(Environment.SANDBOX);
    const { documentId } = await supplier.createUpload({ externalReference: 'ref-1', byteSize: 7n });
    expect(documentId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(await service.db.document.findUniqueOrThrow({ where: { id: documentId } })).toMatchObject({
      accountId: supplier.accountId,
      environment: 'sandbox',
      externalReference: 'ref-1',
      category: 'bank_statements',
      byteSize: 7n,
      state: 'awaiting_upload',
      scanStatus: null,
      createdAt: START,
      uploadExpiresAt: new Date(START.getTime() + 15 * 60_000),
    });
    expect(await service.eventsOf(documentId)).toEqual([]);
  });

  it.each([
    ['Application/PDF', 'application/pdf'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['TEXT/CSV;charset="UTF-8"', 'text/csv'],
  ])('has a URL for the type %j as written, and is stored as %s', async (written, contentType) => {
    const supplier = service.supplier();
    const { documentId, uploadUrl } = await supplier.createUpload({ contentType: written });
    expect(new URL(uploadUrl).searchParams.get('type')).toBe(written);
    expect(await service.db.document.findUniqueOrThrow({ where: { id: documentId } })).toMatchObject({
      contentType,
    });
  });

  it('can have the maximum size, and no byte more', async () => {
    const supplier = service.supplier();
    await supplier.createUpload({ byteSize: BigInt(LIMITS.maxBytes) });
    for (const byteSize of [BigInt(LIMITS.maxBytes) + 1n, BigInt(Number.MAX_SAFE_INTEGER)])
      expect(await refusal(supplier.createUpload({ byteSize }))).toMatchObject({
        code: RefusalCode.PAYLOAD_TOO_LARGE,
        maxBytes: BigInt(LIMITS.maxBytes),
      });
    expect(await used(supplier.accountId)).toBe(BigInt(LIMITS.maxBytes));
  });
});

describe('refused request for an upload URL', () => {
  it.each([
    ['content_type', { contentType: 'text/plain' }],
    ['content_type', { contentType: 'application/pdf; charset=utf-8' }],
    ['content_type', { contentType: 'text/csv; charset=utf-16' }],
    ['byte_size', { byteSize: 0n }],
    ['filename', { filename: 'x'.repeat(256) }],
    ['filename', { filename: 'a\u0000b' }],
    ['category', { category: 0 }],
  ])('stores nothing when the %s is invalid: %j', async (path, wrong) => {
    const supplier = service.supplier();
    const { code, violations } = (await refusal(supplier.createUpload(wrong))) ?? {};
    expect(code).toBe(RefusalCode.VALIDATION_ERROR);
    expect(violations).toMatchObject([{ path }]);
    expect(await service.db.document.count({ where: { accountId: supplier.accountId } })).toBe(0);
    expect(await used(supplier.accountId)).toBe(0n);
  });

  it('stores nothing of a type that this operator does not accept', async () => {
    const pdfOnly = await openTestService({ contentTypes: ['application/pdf'] });
    const supplier = pdfOnly.supplier();
    await supplier.createUpload();
    expect(await refusal(supplier.createUpload({ contentType: 'text/csv' }))).toMatchObject({
      violations: [{ path: 'content_type' }],
    });
    await pdfOnly.close();
  });

  it('stores nothing while no URL can be signed', async () => {
    const supplier = service.supplier();
    service.store.uploadUrl = async () => {
      throw new StoreUnavailable('sign');
    };
    expect(await refusal(supplier.createUpload())).toMatchObject({ code: RefusalCode.SERVICE_UNAVAILABLE });
    expect(await used(supplier.accountId)).toBe(0n);
  });

  it('stores nothing when it comes from staff, or from the gateway without a principal', async () => {
    const forNobody = service.staff('service:gateway').createUpload({});
    await expect(forNobody).rejects.toThrow();
    await expect(service.staff().createUpload({})).rejects.toThrow(/role/);
  });
});

describe('reference quota', () => {
  it('admits the 20th document and not the 21st, until one is deleted', async () => {
    const supplier = service.supplier();
    const externalReference = newId<string>();
    const announced: string[] = [];
    for (let n = 0; n < 20; n += 1)
      announced.push((await supplier.createUpload({ externalReference })).documentId);
    expect(await refusal(supplier.createUpload({ externalReference }))).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'external_reference' }],
    });
    expect(await used(supplier.accountId)).toBe(20n * 1_024n);

    await supplier.createUpload();
    await service.staff().deleteDocument({ documentId: announced[0] ?? '' });
    await supplier.createUpload({ externalReference });
    expect(await refusal(supplier.createUpload({ externalReference }))).toBeDefined();
  });

  it('is separate for each supplier', async () => {
    const externalReference = newId<string>();
    const [one, other] = [service.supplier(), service.supplier()];
    for (let n = 0; n < 20; n += 1) await one.createUpload({ externalReference });
    await other.createUpload({ externalReference });
  });
});

describe('account quota', () => {
  it('can be used to the last byte, and is released by deletion', async () => {
    const supplier = service.supplier();
    const byteSize = 25_000_000n;
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await supplier.createUpload({ byteSize })).documentId);
    expect(await refusal(supplier.createUpload({ byteSize: 1n }))).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'byte_size' }],
    });
    await service.staff().deleteDocument({ documentId: ids[0] ?? '' });
    expect(await used(supplier.accountId)).toBe(75_000_000n);
    await supplier.createUpload({ byteSize });
  });
});
