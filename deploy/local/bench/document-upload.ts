import { seedBenchSupplier } from './bench-supplier.ts';
import type { Benchmark } from './benchmark.ts';
import { measureRequests, REQUESTS_PER_SECOND } from './upload-requests.ts';
import { measureTransfers } from './upload-transfers.ts';

const USUAL_SECONDS = 20;

/**
 * Documents on their way in, through one gateway and one document service with the disk store: how long the answer with
 * an upload URL takes under load, how fast files are taken, and that no byte of them passes through the gateway.
 */
export const documentUpload: Benchmark = {
  summary: 'upload URLs under load, and uploads into the disk store: speed, memory, failures',
  async run(bench, { seconds = USUAL_SECONDS }) {
    await bench.start(['account', 'submission', 'document', 'gateway']);
    const supplier = await seedBenchSupplier(bench);
    // First, because what a file costs in memory shows best on a process that has done nothing yet.
    const transfers = await measureTransfers(bench, supplier);
    const requests = await measureRequests(bench, supplier, seconds);
    return {
      conditions: { seconds, 'requests/s': REQUESTS_PER_SECOND },
      measures: [...requests, ...transfers],
    };
  },
};
