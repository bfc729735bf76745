import { correctContact } from './correct-contact/route.ts';
import { createDeliverySubmission } from './create-delivery-submission/route.ts';
import { createSubmission } from './create-submission/route.ts';
import { createUploadUrl } from './create-upload-url/route.ts';
import { finalizeUpload } from './finalize-upload/route.ts';
import { getSubmission } from './get-submission/route.ts';
import { getSubmissionByReference } from './get-submission-by-reference/route.ts';
import type { Operation } from './operation.ts';
import { promoteSubmission } from './promote-submission/route.ts';

/** The public API, whole, in the contract's order. */
export const operations: readonly Operation[] = [
  createSubmission,
  createDeliverySubmission,
  promoteSubmission,
  correctContact,
  getSubmissionByReference,
  getSubmission,
  createUploadUrl,
  finalizeUpload,
];
