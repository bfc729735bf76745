import { RefusalCode, refuse } from '@supplier/lib/refusal';

/** One answer for what does not exist and for what is another supplier's. */
export function submissionNotFound() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
}
