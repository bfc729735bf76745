import { isBundled } from '@supplier/lib/runtime/build';

/** The name of this command. */
export const PROGRAM = isBundled ? 'sss-prepare' : 'npm run prepare:install --';
