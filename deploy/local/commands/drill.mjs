import { runMain } from './run-main.mjs';

/** Runs a drill. Resolves to its exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/local/drill/main.ts', args);
