import type { Rpcs } from '../context.ts';
import { notOfferedYet } from './not-offered-yet.ts';

/** Will bind an uploaded document to its submission. Throws UNIMPLEMENTED. */
export function finalizeUpload(): Rpcs['finalizeUpload'] {
  return () => {
    throw notOfferedYet('Documents held for submissions');
  };
}
