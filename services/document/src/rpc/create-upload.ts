import type { Rpcs } from '../context.ts';
import { notOfferedYet } from './not-offered-yet.ts';

/** Will reserve a document and answer with the URL for its bytes. Throws UNIMPLEMENTED. */
export function createUpload(): Rpcs['createUpload'] {
  return () => {
    throw notOfferedYet('Uploads of documents');
  };
}
