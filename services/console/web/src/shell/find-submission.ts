import { Code, ConnectError } from '@connectrpc/connect';
import { codeOf, submissions } from '../calls.ts';

/** What an id or an Application leads to. */
export interface FoundSubmission {
  readonly submissionId: string | undefined;
  readonly isSeveral: boolean;
}

/**
 * Searches by submission id first: suppliers choose request ids, and could choose that of a submission. Submissions
 * made by a request are searched only for people who may list submissions.
 */
export async function findById(id: string, mayList: boolean, signal: AbortSignal): Promise<FoundSubmission> {
  try {
    const { submissionId } = await submissions.getSubmission({ submissionId: id }, { signal });
    return { submissionId, isSeveral: false };
  } catch (error) {
    // A string in the form of a UUID but without a valid version can only be a request id.
    if (codeOf(error) !== Code.NotFound && codeOf(error) !== Code.InvalidArgument) throw error;
  }
  if (!mayList) return { submissionId: undefined, isSeveral: false };
  const { submissions: found } = await submissions.listSubmissions(
    { requestId: id, pageSize: 2 },
    { signal },
  );
  const made = found.filter(({ requestId }) => requestId.toLowerCase() === id.toLowerCase());
  // The previous release of the service ignores this filter and returns the newest of all submissions.
  if (made.length < found.length)
    throw new ConnectError(
      'This release of the submission service can’t search by request ID. Try again after it is updated.',
      Code.Unimplemented,
    );
  return theOne(made);
}

/** Searches by Application reference. */
export const findByApplication = async (
  applicationReference: string,
  signal: AbortSignal,
): Promise<FoundSubmission> =>
  theOne((await submissions.listSubmissions({ applicationReference, pageSize: 2 }, { signal })).submissions);

const theOne = (found: readonly { readonly submissionId: string }[]): FoundSubmission => ({
  submissionId: found.length === 1 ? found[0]?.submissionId : undefined,
  isSeveral: found.length > 1,
});
