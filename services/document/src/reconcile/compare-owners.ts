import type { Comparison, Difference } from '@supplier/lib/governance/reconciliation';
import type { Context } from '../context.ts';
import type { SubmissionOwner } from '../submission-client.ts';
import { listOwned, type OwnedDocument } from './store-comparison.sql.ts';

/** The submission service returns the owners of up to this many submissions per call. */
const DOCUMENTS_AT_ONCE = 1_000;

/** Differences between the owner of a document and that of its submission. */
const FAULTS = {
  unexplained: 'the submission of the document does not exist',
  other_account: 'the document belongs to another account than its submission',
  other_environment: 'the document belongs to another environment than its submission',
} as const;

/** Compares the owners of the next 1,000 documents with those of their submissions. */
export async function compareOwners(
  { db, findOwners }: Pick<Context, 'db' | 'findOwners'>,
  after: string,
): ReturnType<Comparison> {
  const documents = await listOwned(db, after, DOCUMENTS_AT_ONCE);
  const ids = [...new Set(documents.map(({ submissionId }) => submissionId))];
  const owners = ids.length > 0 ? await findOwners(ids) : new Map();
  const last = documents.length < DOCUMENTS_AT_ONCE ? undefined : documents.at(-1);
  return {
    compared: documents.length,
    differences: documents.flatMap((document) => differenceOf(document, owners.get(document.submissionId))),
    next: last ? `owners ${last.documentId}` : '',
  };
}

function differenceOf(document: OwnedDocument, submission: SubmissionOwner | undefined): Difference[] {
  const { documentId, submissionId, accountId } = document;
  const what = faultOf(document, submission);
  const explanation = what && `${FAULTS[what]} (submission ${submissionId})`;
  return what && explanation ? [{ what, target: documentId, accountId, explanation, repaired: false }] : [];
}

function faultOf(
  { accountId, environment }: OwnedDocument,
  submission: SubmissionOwner | undefined,
): keyof typeof FAULTS | undefined {
  if (!submission) return 'unexplained';
  if (submission.accountId !== accountId) return 'other_account';
  return submission.environment === environment ? undefined : 'other_environment';
}
