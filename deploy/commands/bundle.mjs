import { runMain } from './run-main.mjs';

/** Writes the files of images. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/images/bundle-command.ts', args);
