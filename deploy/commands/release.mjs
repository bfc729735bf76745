import { runMain } from './run-main.mjs';

/** Makes one step of a release. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/release/release-command.ts', args);
