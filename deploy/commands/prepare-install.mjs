import { runMain } from './run-main.mjs';

/** Prepares the secrets of an installation. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/prepare/prepare-command.ts', args);
