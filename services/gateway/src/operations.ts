import { correctContact } from './routes/correct-contact/correct-contact.ts';
import { createDeliverySubmission } from './routes/create-delivery-submission/create-delivery-submission.ts';
import { createSubmission } from './routes/create-submission/create-submission.ts';
import { createUploadUrl } from './routes/create-upload-url/create-upload-url.ts';
import { finalizeUpload } from './routes/finalize-upload/finalize-upload.ts';
import { getSubmission } from './routes/get-submission/get-submission.ts';
import { getSubmissionByReference } from './routes/get-submission-by-reference/get-submission-by-reference.ts';
import type { Operation } from './routes/operation.ts';
import { promoteSubmission } from './routes/promote-submission/promote-submission.ts';

/** The complete public API, in the contract's order. */
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
