import { runMain } from './run-main.mjs';

/** Packs the staff's command line. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/package/pack-command.ts', args);
