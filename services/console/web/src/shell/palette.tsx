import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { EnvironmentSchema, StatusSchema } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageAction, pageActions } from '../actions/page-actions.tsx';
import { accounts, errorMessage, mayCall, submissions } from '../calls.ts';
import { useSupplierNames } from '../components/supplier-name.tsx';
import { enumLabel, UUID } from '../format.ts';
import { useSession } from '../session.ts';
import { findById, findByText, isPersonal, searchable } from './find-submission.ts';
import { screenGroupsFor } from './screens.ts';

const PAUSE_MS = 200;

interface PaletteProps {
  readonly placeholder: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/**
 * The search and the command palette, in one dialog. They find submissions and suppliers as the person types, go to any
 * screen, and run the actions of the open page. Personal details are never searched for.
 */
export default function Palette({ placeholder, text, onChange }: PaletteProps) {
  const [settled] = useDebouncedValue(text.trim(), PAUSE_MS);
  const { results, error } = useSearchResults(settled);
  const { roles } = useSession();
  const mayList = mayCall(roles, SubmissionService.method.listSubmissions);
  const [actions, setActions] = useState<readonly PageAction[]>([]);
  const navigate = useNavigate();
  const what = text.trim();
  const matches = ({ name }: { readonly name: string }) => name.toLowerCase().includes(what.toLowerCase());
  const screens = screenGroupsFor(roles)
    .flatMap((group) => group.screens)
    .filter(matches);
  return (
    <Spotlight.Root
      query={text}
      onQueryChange={onChange}
      onSpotlightOpen={() => setActions(pageActions())}
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search placeholder={placeholder} aria-label="Search" maxLength={128} autoComplete="off" />
      {isPersonal(what) ? (
        <p role="alert">To search for a person, open Data requests and state a purpose.</p>
      ) : (
        <Spotlight.ActionsList>
          {/* Above the results: otherwise it moves away from the pointer when they arrive. */}
          {what === '' || !(mayList || UUID.test(what)) ? null : (
            <Spotlight.Action
              label={`Search for “${what}”`}
              onClick={() => void navigate({ to: '/find', search: { what } })}
            />
          )}
          {error ? <Alert color="red">{`Search failed: ${errorMessage(error)}`}</Alert> : null}
          {results.length > 0 ? (
            <Spotlight.ActionsGroup label="Results">
              {results.map(({ key, label, description, link }) => (
                <Spotlight.Action
                  key={key}
                  label={label}
                  description={description}
                  onClick={() => void navigate(link)}
                />
              ))}
            </Spotlight.ActionsGroup>
          ) : null}
          {actions.some(matches) ? (
            <Spotlight.ActionsGroup label="Actions">
              {actions.filter(matches).map(({ name, open }) => (
                <Spotlight.Action key={name} label={name} onClick={open} />
              ))}
            </Spotlight.ActionsGroup>
          ) : null}
          {screens.length > 0 ? (
            <Spotlight.ActionsGroup label="Go to">
              {screens.map(({ path, name }) => (
                <Spotlight.Action key={path} label={name} onClick={() => void navigate({ to: path })} />
              ))}
            </Spotlight.ActionsGroup>
          ) : null}
        </Spotlight.ActionsList>
      )}
    </Spotlight.Root>
  );
}

const FEW = 5;
const APPLICATION = /^APP-/i;

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
function useSearchResults(typed: string): SearchResults {
  const { roles } = useSession();
  const names = useSupplierNames();
  const mayRead = mayCall(roles, SubmissionService.method.getSubmission);
  const mayList = mayCall(roles, SubmissionService.method.listSubmissions);
  const mayListSuppliers = mayCall(roles, AccountService.method.listAccounts);
  const text = searchable(typed);
  const { data = [], error } = useQuery({
    queryKey: ['search', text],
    enabled: text !== '',
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
  return text === '' ? { results: [], error: null } : { results: data, error };
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
