import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { StoreUnavailable } from '../object-store/object-store.ts';

/** Runs work on the store. While the store is away it throws SERVICE_UNAVAILABLE: the caller may try again. */
export async function onStore<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable)
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Documents cannot be stored right now.');
    throw error;
  }
}
