import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { EnvironmentSchema, StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import type { NavigateOptions } from '@tanstack/react-router';
import { accounts, mayCall, submissions } from '../calls.ts';
import { useSupplierNames } from '../components/supplier-name.tsx';
import { enumLabel, UUID } from '../format.ts';
import { useSession } from '../session.ts';
import { findById, findByText } from './find-submission.ts';

const SHORTEST = 3;
const FEW = 5;
const APPLICATION = /^APP-/i;

/** Matches an email address, or as many digits as a telephone number. */
export const isPersonal = (text: string): boolean =>
  text.includes('@') || (/^\+?[\d\s()-]{9,}$/.test(text) && !UUID.test(text));

interface SearchResult {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly link: NavigateOptions;
}

interface SearchResults {
  readonly results: readonly SearchResult[];
  readonly error: Error | null;
}

/** Searches for submissions and suppliers by a text, and returns what the person may open. */
export function useSearchResults(text: string): SearchResults {
  const { roles } = useSession();
  const names = useSupplierNames();
  const mayRead = mayCall(roles, SubmissionService.method.getSubmission);
  const mayList = mayCall(roles, SubmissionService.method.listSubmissions);
  const mayListSuppliers = mayCall(roles, AccountService.method.listAccounts);
  const isSearchable = text.length >= SHORTEST && !isPersonal(text);
  const { data = [], error } = useQuery({
    queryKey: ['search', isSearchable ? text : ''],
    enabled: isSearchable,
    refetchInterval: false,
    gcTime: 0,
    queryFn: async ({ signal }): Promise<readonly SearchResult[]> => {
      if (UUID.test(text) || (APPLICATION.test(text) && mayList)) {
        if (!mayRead) return [];
        const found = UUID.test(text) ? findById(text, mayList, signal) : findByText(text, signal);
        const { submissionId } = await found;
        if (submissionId !== undefined) return [byId(submissionId)];
      }
      const [suppliers, references] = await Promise.all([
        mayListSuppliers ? suppliersNamed(text, signal) : [],
        mayList ? byReference(text, signal) : [],
      ]);
      return [
        ...references.map((submission) =>
          submissionResult(submission, names.get(submission.accountId) ?? ''),
        ),
        ...suppliers,
      ];
    },
  });
  return isSearchable ? { results: data, error } : { results: [], error: null };
}

const byId = (submissionId: string): SearchResult => ({
  key: submissionId,
  label: 'Open submission',
  description: submissionId,
  link: { to: '/submissions/$submissionId', params: { submissionId } },
});

const submissionResult = (submission: ListedSubmission, supplier: string): SearchResult => ({
  ...byId(submission.submissionId),
  label: visible(submission.externalReference),
  description: [
    supplier,
    enumLabel(EnvironmentSchema, submission.environment),
    enumLabel(StatusSchema, submission.status),
  ].join(' · '),
});

async function suppliersNamed(nameContains: string, signal: AbortSignal): Promise<readonly SearchResult[]> {
  const found = await accounts.listAccounts({ nameContains, pageSize: FEW }, { signal });
  return found.accounts.map(({ accountId, name }) => ({
    key: accountId,
    label: visible(name),
    description: 'Supplier',
    link: { to: '/suppliers/$accountId', params: { accountId } },
  }));
}

/** References are unique only within a supplier and an environment. */
const byReference = async (
  referencePrefix: string,
  signal: AbortSignal,
): Promise<readonly ListedSubmission[]> =>
  (await submissions.listSubmissions({ referencePrefix, pageSize: FEW }, { signal })).submissions;
