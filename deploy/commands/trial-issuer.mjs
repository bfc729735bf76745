import { runMain } from './run-main.mjs';

/** Makes an issuer of staff tokens for a release that is tried out. Resolves to the exit code. */
export const run = (machine, args) => runMain(machine, 'deploy/local/identity/trial-issuer.ts', args);
