import { correctContact } from './routes/correct-contact/route.ts';
import { createDeliverySubmission } from './routes/create-delivery-submission/route.ts';
import { createSubmission } from './routes/create-submission/route.ts';
import { createUploadUrl } from './routes/create-upload-url/route.ts';
import { finalizeUpload } from './routes/finalize-upload/route.ts';
import { getSubmission } from './routes/get-submission/route.ts';
import { getSubmissionByReference } from './routes/get-submission-by-reference/route.ts';
import type { Operation } from './routes/operation.ts';
import { promoteSubmission } from './routes/promote-submission/route.ts';

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
