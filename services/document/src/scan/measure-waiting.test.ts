import { forAllTests, startTestProcess } from '@supplier/lib/testing';
import { waitingDocument } from '../../testing/test-scan-worker.ts';
import { openTestService } from '../../testing/test-service.ts';
import { measureWaiting } from './scan-worker.ts';

const service = forAllTests(() => openTestService());

async function measured(): Promise<(string | undefined)[]> {
  const { metrics } = startTestProcess('scanner');
  measureWaiting(metrics, service.pool, service.clock);
  const page = await metrics.metrics();
  return [
    'sss_documents_awaiting_scan',
    'sss_oldest_document_awaiting_scan_age_seconds',
    'sss_documents_parked',
  ].map((name) => new RegExp(`^${name} (.+)$`, 'm').exec(page)?.[1]);
}

describe('waiting document metrics', () => {
  it('report the number of documents and the age of the oldest', async () => {
    expect(await measured()).toEqual(['0', '0', '0']);
    await waitingDocument(service);
    service.clock.advance(90_000);
    const parked = await waitingDocument(service);
    expect(await measured()).toEqual(['2', '90', '0']);
    await service.db.document.update({
      where: { id: parked },
      data: { scanDueAt: null, scanParkedAt: service.clock.now() },
    });
    expect(await measured()).toEqual(['1', '90', '1']);
  });
});
