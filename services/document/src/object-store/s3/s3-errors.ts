import { ObjectChanged, StoreUnavailable } from '../object-store.ts';

/** The object is not there, as GET and as HEAD (whose answer has no body to say it in) put it. */
const ABSENT = new Set(['NoSuchKey', 'NotFound']);
/** The object is another one than the condition names. */
const CHANGED = new Set(['PreconditionFailed']);

/** Runs a call of the store. Whatever it fails with that is not about the object becomes StoreUnavailable. */
export async function onStore<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ObjectChanged || error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable(what, error);
  }
}

/** Whether the store says that there is no such object. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has(codeOf(error));
}

/** Whether the store says that the object is gone or another. */
export function isChanged(error: unknown): boolean {
  return isAbsent(error) || CHANGED.has(codeOf(error));
}

/** The code that the store gave an error; empty for what did not come from it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
