import { Code } from '@connectrpc/connect';
import { codeOf, submissions } from '../calls.ts';
import { UUID } from '../format.ts';
import type { SubmissionsSearch } from '../searches.ts';

/** The longest reference of an Application. */
const MAX_APPLICATION = 40;

const SHORTEST = 3;

/** Matches an email address, or as many digits as a telephone number. */
export const isPersonal = (text: string): boolean =>
  text.includes('@') || (/^\+?[\d\s()-]{9,}$/.test(text) && !UUID.test(text));

/** Returns what is searched while a person types, which is kept as a key: nothing short or personal. */
export const searchable = (text: string): string => (text.length < SHORTEST || isPersonal(text) ? '' : text);

/** What a text leads to: one submission, a list of several, or nothing. */
export interface FoundSubmission {
  readonly submissionId?: string;
  readonly list?: SubmissionsSearch;
}

/**
 * Searches by submission id first: suppliers choose request ids and references, and could choose the id of a
 * submission. Requests and references are searched only for people who may list submissions.
 */
export async function findById(id: string, mayList: boolean, signal: AbortSignal): Promise<FoundSubmission> {
  try {
    const { submissionId } = await submissions.getSubmission({ submissionId: id }, { signal });
    return { submissionId };
  } catch (error) {
    // A string in the form of a UUID but without a valid version can't be the id of a submission.
    if (codeOf(error) !== Code.NotFound && codeOf(error) !== Code.InvalidArgument) throw error;
  }
  if (!mayList) return {};
  const { submissions: found } = await submissions.listSubmissions(
    { requestId: id, pageSize: 2 },
    { signal },
  );
  return found.length > 0 ? theOne(found, { request: id }) : findByReference(id, signal);
}

/** Searches by Application, then by reference. */
export async function findByText(text: string, signal: AbortSignal): Promise<FoundSubmission> {
  if (text.length > MAX_APPLICATION) return findByReference(text, signal);
  const request = { applicationReference: text.toUpperCase(), pageSize: 1 };
  const [found] = (await submissions.listSubmissions(request, { signal })).submissions;
  return found ? { submissionId: found.submissionId } : findByReference(text, signal);
}

/** Searches by the start of suppliers' references. */
async function findByReference(referencePrefix: string, signal: AbortSignal): Promise<FoundSubmission> {
  const list = { reference: referencePrefix };
  const answer = await submissions.listSubmissions({ referencePrefix, pageSize: 2 }, { signal });
  // The list continues a search that isn't complete.
  return answer.nextPageToken === '' ? theOne(answer.submissions, list) : { list };
}

const theOne = (
  found: readonly { readonly submissionId: string }[],
  list: SubmissionsSearch,
): FoundSubmission => {
  const [one, another] = found;
  if (another) return { list };
  return one ? { submissionId: one.submissionId } : {};
};
