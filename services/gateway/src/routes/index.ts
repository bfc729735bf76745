import { createSubmission } from './create-submission/route.ts';
import { getSubmission } from './get-submission/route.ts';
import { getSubmissionByReference } from './get-submission-by-reference/route.ts';
import type { Operation } from './operation.ts';

/** The public API, whole. */
export const operations: readonly Operation[] = [createSubmission, getSubmissionByReference, getSubmission];
