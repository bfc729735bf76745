// Asks the gateway for upload URLs at a steady pace and reports what became of each request. Spoken to over IPC: a
// credential is no argument.
import { Agent } from 'undici';
import type { BenchSupplier } from './bench-supplier.ts';
import { type Outcome, openLoop, type Pace } from './open-loop.ts';
import { askForUpload } from './upload-urls.ts';

/** What to ask for, and how often. Each order needs a series of its own. */
export interface RequestOrder {
  readonly supplier: BenchSupplier;
  readonly pace: Pace;
  readonly series: string;
  readonly bytes: number;
}

export type RequestReport = readonly Outcome[];

const CONNECTIONS = 64;
const dispatcher = new Agent({ connections: CONNECTIONS });

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ supplier, pace, series, bytes }: RequestOrder) => {
  const report: RequestReport = await openLoop(pace, async (index) => {
    await askForUpload(supplier, { dispatcher, series, index, bytes });
  });
  process.send?.(report);
});
