import { StoreUnavailable } from '../object-store.ts';

/**
 * Runs work on files. Whatever the file system refuses (full, read-only, not permitted, broken, gone) becomes
 * StoreUnavailable; all other errors pass.
 */
export async function onFiles<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isFileError(error)) throw new StoreUnavailable(what, error);
    throw error;
  }
}

/** Runs work on a file that may not be there: undefined then. */
export async function unlessAbsent<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isFileError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'syscall' in error && 'errno' in error;
}
