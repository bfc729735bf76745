import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import type { NavigateOptions } from '@tanstack/react-router';
import { accounts, mayCall, submissions } from '../calls.ts';
import { useSupplierNames } from '../components/supplier-name.tsx';
import { useEnvironment } from '../environment.ts';
import { enumLabel, UUID } from '../format.ts';
import { useSession } from '../session.ts';
import { findByApplication, findById } from './find-submission.ts';

const SHORTEST = 3;
const FEW = 5;
/** References are unique only within a supplier, so each supplier is searched. With more suppliers, none is. */
const MAX_SUPPLIERS = 10;
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

/** Searches for submissions and suppliers by a text, and returns what the person may open. */
export function useSearchResults(text: string): readonly SearchResult[] {
  const { roles } = useSession();
  const environment = useEnvironment();
  const names = useSupplierNames();
  const mayRead = mayCall(roles, SubmissionService.method.getSubmission);
  const mayList = mayCall(roles, SubmissionService.method.listSubmissions);
  const mayListSuppliers = mayCall(roles, AccountService.method.listAccounts);
  const isSearchable = text.length >= SHORTEST && !isPersonal(text);
  const { data } = useQuery({
    queryKey: ['search', text, environment],
    enabled: isSearchable,
    refetchInterval: false,
    gcTime: 0,
    queryFn: async ({ signal }): Promise<readonly SearchResult[]> => {
      if (UUID.test(text)) {
        if (!mayRead) return [];
        const { submissionId } = await findById(text, mayList, signal);
        return submissionId === undefined ? [] : [byId(submissionId)];
      }
      if (APPLICATION.test(text)) {
        if (!mayList) return [];
        const { submissionId } = await findByApplication(text.toUpperCase(), signal);
        return submissionId === undefined ? [] : [byId(submissionId)];
      }
      const [suppliers, references] = await Promise.all([
        mayListSuppliers ? suppliersNamed(text, signal) : [],
        mayList && names.size <= MAX_SUPPLIERS
          ? byReference(text, [...names.keys()], environment, signal)
          : [],
      ]);
      return [
        ...references.map((submission) =>
          submissionResult(submission, names.get(submission.accountId) ?? ''),
        ),
        ...suppliers,
      ];
    },
  });
  return isSearchable ? (data ?? []) : [];
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
  description: `${supplier} · ${enumLabel(StatusSchema, submission.status)}`,
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

async function byReference(
  referencePrefix: string,
  accountIds: readonly string[],
  environment: ReturnType<typeof useEnvironment>,
  signal: AbortSignal,
): Promise<readonly ListedSubmission[]> {
  const found = await Promise.all(
    accountIds.map((accountId) =>
      submissions.listSubmissions({ accountId, environment, referencePrefix, pageSize: FEW }, { signal }),
    ),
  );
  return found.flatMap((answer) => answer.submissions).slice(0, FEW);
}
