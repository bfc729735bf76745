import { ObjectChanged, StoreUnavailable } from '../object-store.ts';

/** There is no such object: the codes of GET and of HEAD, whose response has no body. */
const ABSENT = new Set(['NoSuchKey', 'NotFound']);
/** The object is not the one that the condition names. */
const CHANGED = new Set(['PreconditionFailed']);

/** Runs a call of the store. Every error but ObjectChanged becomes StoreUnavailable. */
export async function onStore<Result>(operation: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ObjectChanged || error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable(operation, error);
  }
}

/** Whether the store says that there is no such object. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has(codeOf(error));
}

/** Whether the store says that the object is gone or was replaced. */
export function isChanged(error: unknown): boolean {
  return isAbsent(error) || CHANGED.has(codeOf(error));
}

/** The S3 code of an error; empty for errors of other origin. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
