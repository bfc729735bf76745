import { runMain } from './run-main.mjs';

/** Builds the images. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/images/build-command.ts', args);
