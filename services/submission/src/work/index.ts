import { startWork } from '@supplier/lib/data/work';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import type { Context, WakeTargets } from '../context.ts';
import { decideReceived } from './decide-received.ts';
import { deleteOldAcceptanceCounts } from './delete-old-acceptance-counts.ts';
import { erasePeople } from './erase-people.ts';
import { foldIntake } from './fold-intake.ts';
import { measureErasures } from './measure-erasures.ts';
import { mintApplications } from './mint-applications.ts';
import { preUnderwriteApplications } from './pre-underwrite-applications.ts';
import { retain } from './retain.ts';

/** Starts the background work of this service. Returns the wake-ups of its workers. */
export function startWorkers(process: ServiceProcess, context: Context): Omit<WakeTargets, 'relay'> {
  const { workPool } = context;
  const sweepers = startSweepers(
    process,
    [deleteOldAcceptanceCounts, foldIntake, retain, erasePeople],
    context,
  );
  const decide = startWork(process, workPool, decideReceived(context));
  const mint = startWork(process, workPool, mintApplications(context));
  const preUnderwrite = startWork(process, workPool, preUnderwriteApplications(context));
  measureErasures(process.metrics, workPool, context.clock);
  return {
    undecided: decide.wake,
    unminted: mint.wake,
    unassessed: preUnderwrite.wake,
    erasures: () => sweepers.wake(erasePeople),
  };
}
