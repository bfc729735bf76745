import { isBundled } from '@supplier/lib/runtime/build';

/** How this command is called: from a checkout, or as the program of the package. */
export const PROGRAM = isBundled ? 'sss-prepare' : 'npm run prepare:install --';
