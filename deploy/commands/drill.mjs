import { runMain } from './run-main.mjs';

/** Runs a drill. Resolves to its exit code. */
export const run = (machine, args) => runMain(machine, 'test/drills/main.ts', args);
