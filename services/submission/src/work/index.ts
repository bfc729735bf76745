import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import { startWork } from '@supplier/lib/work';
import type { Context } from '../context.ts';
import type { WakeUps } from '../wakes.ts';
import { checkBilling } from './check-billing.ts';
import { decideReceived } from './decide-received.ts';
import { deleteOldAcceptanceCounts } from './delete-old-acceptance-counts.ts';
import { startErasing } from './erase-people.ts';
import { measureErasures } from './measure-erasures.ts';
import { mintApplications } from './mint-applications.ts';
import { preUnderwriteApplications } from './pre-underwrite-applications.ts';
import { retain } from './retain.ts';

/** Starts what this service does without being asked. Resolves to the wake-ups of those who wait for new work. */
export function startWorkers(process: ServiceProcess, context: Context): Omit<WakeUps, 'events'> {
  const { workPool } = context;
  startSweepers(process, [checkBilling, deleteOldAcceptanceCounts, retain], context);
  const decide = startWork(process, workPool, decideReceived(context));
  const mint = startWork(process, workPool, mintApplications(context));
  const preUnderwrite = startWork(process, workPool, preUnderwriteApplications(context));
  const erase = startErasing(process, context);
  measureErasures(process.metrics, workPool, context.clock);
  return {
    undecided: decide.wake,
    unminted: mint.wake,
    unassessed: preUnderwrite.wake,
    erasures: erase.wake,
  };
}
