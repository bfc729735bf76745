import { forAllTests } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { WaitingFor } from '@supplier/proto/document/v1/document';
import { openTestService, START } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());
beforeEach(async () => {
  await service.pool.query('TRUNCATE document CASCADE');
  service.clock.set(START);
});

const viewer = () => service.staff('staff:viewer');
type Request = Parameters<ReturnType<typeof viewer>['listWaitingDocuments']>[0];
const list = (request: Request = {}) => viewer().listWaitingDocuments(request);
const idsOf = async (request: Request = {}) =>
  (await list(request)).documents.map(({ documentId }) => documentId);

const park = (documentId: string) =>
  service.pool.query('UPDATE document SET scan_due_at = NULL, scan_parked_at = now() WHERE id = $1', [
    documentId,
  ]);

describe('ListWaitingDocuments', () => {
  it('lists documents awaiting their scan, longest waiting first, with their age and without their filenames', async () => {
    const first = await service.finalized();
    service.clock.advance(61_500);
    const second = await service.finalized();
    const { documents, nextPageToken } = await list();
    expect(documents).toMatchObject([
      {
        documentId: first.documentId,
        accountId: first.supplier.accountId,
        externalReference: first.reference,
        byteSize: 1_024n,
        waitingFor: WaitingFor.SCAN,
        finalizedAt: toTimestamp(START),
        ageSeconds: 61n,
        scanAttempts: 0,
      },
      { documentId: second.documentId, ageSeconds: 0n },
    ]);
    expect(nextPageToken).toBe('');
    expect(
      JSON.stringify(documents, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain('.pdf');
    expect((await service.pool.query('SELECT FROM audit_entry')).rowCount).toBe(0);
  });

  it('applies each filter, and omits documents that are scanned, not finalized or deleted', async () => {
    const sandbox = service.supplier(Environment.SANDBOX);
    const [waiting, parked, elsewhere, clean] = [
      await service.finalized(),
      await service.finalized(),
      await service.finalized(sandbox),
      await service.finalized(),
    ];
    await park(parked.documentId);
    await service.pool.query(
      `UPDATE document SET scan_due_at = NULL, scan_status = 'infected', scan_reason = 'malware', signature = 'x', scanned_at = now()
        WHERE id = $1`,
      [clean.documentId],
    );
    await service.supplier().createUpload();
    expect((await idsOf()).sort()).toEqual(
      [waiting, parked, elsewhere].map(({ documentId }) => documentId).sort(),
    );
    expect(await idsOf({ waitingFor: WaitingFor.STAFF })).toEqual([parked.documentId]);
    expect((await idsOf({ waitingFor: WaitingFor.SCAN })).sort()).toEqual(
      [waiting.documentId, elsewhere.documentId].sort(),
    );
    expect(await idsOf({ environment: Environment.SANDBOX, accountId: sandbox.accountId })).toEqual([
      elsewhere.documentId,
    ]);
    expect(await idsOf({ accountId: newId() })).toEqual([]);
  });

  it('pages without gaps or repeats while documents are finalized, including equal timestamps', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      if (n === 3) service.clock.advance(1);
      made.push((await service.finalized()).documentId);
    }
    service.clock.advance(1);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const answer = await list({ pageSize: 2, pageToken });
      expect(answer.documents.length).toBeLessThanOrEqual(2);
      seen.push(...answer.documents.map(({ documentId }) => documentId));
      pageToken = answer.nextPageToken;
      if (seen.length < 5) await service.finalized();
    } while (pageToken !== '' && seen.length < 20);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 5)).toEqual(made);
  });
});
