import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import type { Context, WakeTargets } from './context.ts';
import { decideReceived, deleteOldAcceptanceCounts } from './decide/decide-received.ts';
import { foldIntake } from './figures/get-intake.ts';
import { erasePeople } from './privacy/erase-people.ts';
import { measureErasures } from './privacy/measure-erasures.ts';
import { retain } from './privacy/retain.ts';
import { mintApplications } from './underwrite/mint-applications.ts';
import { preUnderwriteApplications } from './underwrite/pre-underwrite-applications.ts';
import { startWork } from './work/index.ts';

/** Starts the background work of this service. Returns the wake functions of its workers. */
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
