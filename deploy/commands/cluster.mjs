import { runMain } from './run-main.mjs';

/** Installs the chart on a cluster. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'test/cluster/cluster-command.ts', args);
