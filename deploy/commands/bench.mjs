import { runMain } from './run-main.mjs';

/** Runs a benchmark. Resolves to its exit code. */
export const run = (machine, args) => runMain(machine, 'test/bench/main.ts', args);
