import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accounts, mayCall } from '../calls.ts';
import { figuresQuery } from '../figures-query.ts';
import type { SupplierTab } from '../searches.ts';
import { useSession } from '../session.ts';

const PAGE = 200;
/** Suppliers whose names are loaded, latest first. Others are named by the beginning of their id. */
const MAX_PAGES = 5;
const STALE_MS = 300_000;
const ID_LETTERS = 8;

/** Returns the names of suppliers by account id, for people who may list suppliers. */
export const useSupplierNames = (): ReadonlyMap<string, string> => useNamesQuery().data ?? NONE;
const NONE: ReadonlyMap<string, string> = new Map();

function useNamesQuery() {
  const { roles } = useSession();
  return useQuery({
    queryKey: ['supplier-names'],
    enabled: mayCall(roles, AccountService.method.listAccounts),
    refetchInterval: false,
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      let pageToken = '';
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const answer = await accounts.listAccounts({ pageSize: PAGE, pageToken }, { signal });
        for (const { accountId, name } of answer.accounts) names.set(accountId, visible(name));
        pageToken = answer.nextPageToken;
        if (pageToken === '') break;
      }
      return names;
    },
  });
}

/** Loads a supplier's account. */
export const accountQuery = (accountId: string) =>
  queryOptions({
    ...figuresQuery,
    queryKey: ['account', accountId],
    queryFn: ({ signal }) => accounts.getAccount({ accountId }, { signal }),
  });

interface SupplierNameProps {
  readonly accountId: string;
  readonly isLink?: boolean;
  /** The tab that the link opens, if not the overview. */
  readonly tab?: SupplierTab;
}

/** A supplier's name, which links to the supplier for people who may read it. */
export function SupplierName({ accountId, isLink = true, tab }: SupplierNameProps) {
  const { roles } = useSession();
  const { getAccount, listAccounts } = AccountService.method;
  const { data: names, isLoading } = useNamesQuery();
  const listed = names?.get(accountId);
  const { data } = useQuery({
    ...accountQuery(accountId),
    enabled: listed === undefined && mayCall(roles, getAccount) && !mayCall(roles, listAccounts),
    refetchInterval: false,
    staleTime: STALE_MS,
  });
  // What follows an unknown name would move when it arrives.
  const className = isLoading ? 'name loading' : 'name';
  const name = listed ?? visible(data?.name ?? accountId.slice(0, ID_LETTERS));
  if (!isLink || !mayCall(roles, getAccount))
    return (
      <span className={className} title={name}>
        {name}
      </span>
    );
  return (
    <Link
      className={className}
      title={name}
      to="/suppliers/$accountId"
      params={{ accountId }}
      search={tab ? { tab } : {}}
    >
      {name}
    </Link>
  );
}
