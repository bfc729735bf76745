import { ObjectChanged, StoreUnavailable } from '../object-store.ts';

/** The object does not exist: the codes of GET and of HEAD, whose response has no body. */
const ABSENT = new Set(['NoSuchKey', 'NotFound']);
/** The object does not match the condition. */
const CHANGED = new Set(['PreconditionFailed']);

/** Runs a call to the store. Turns every error except ObjectChanged into StoreUnavailable. */
export async function onStore<Result>(operation: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ObjectChanged || error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable(operation, error);
  }
}

/** Returns whether the store reports that the object does not exist. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has(codeOf(error));
}

/** Returns whether the store reports that the object is gone or was replaced. */
export function isChanged(error: unknown): boolean {
  return isAbsent(error) || CHANGED.has(codeOf(error));
}

/** Returns the S3 code of an error; empty for errors from elsewhere. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
