import { visible } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accounts, firstPages, keyOf, queryOf, useMay } from '../calls.ts';
import { figuresQuery } from '../figures-query.ts';
import type { SupplierTab } from '../searches.ts';

const PAGE = 200;
/** Suppliers whose names are loaded, latest first. Others are named by the beginning of their id. */
const MAX_PAGES = 5;
const STALE_MS = 300_000;
const ID_LETTERS = 8;
const { getAccount, listAccounts } = AccountService.method;

/** Returns the names of suppliers by account id, for people who may list suppliers. */
export const useSupplierNames = (): ReadonlyMap<string, string> => useNamesQuery().data ?? NONE;
const NONE: ReadonlyMap<string, string> = new Map();

function useNamesQuery() {
  const may = useMay();
  return useQuery({
    queryKey: keyOf(listAccounts, { pageSize: PAGE }),
    enabled: may(listAccounts),
    refetchInterval: false,
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const { pages } = await firstPages(MAX_PAGES, (pageToken) =>
        accounts.listAccounts({ pageSize: PAGE, pageToken }, { signal }),
      );
      const listed = pages.flatMap((page) => page.accounts);
      return new Map(listed.map(({ accountId, name }) => [accountId, visible(name)]));
    },
  });
}

/** Loads a supplier's account. */
export const accountQuery = (accountId: string) => ({
  ...figuresQuery,
  ...queryOf(getAccount, { accountId }),
});

interface SupplierNameProps {
  readonly accountId: string;
  readonly isLink?: boolean;
  /** The tab that the link opens, if not the overview. */
  readonly tab?: SupplierTab;
}

/** A supplier's name, which links to the supplier for people who may read it. */
export function SupplierName({ accountId, isLink = true, tab }: SupplierNameProps) {
  const may = useMay();
  const { data: names, isLoading } = useNamesQuery();
  const listed = names?.get(accountId);
  const { data } = useQuery({
    ...accountQuery(accountId),
    enabled: listed === undefined && may(getAccount) && !may(listAccounts),
    refetchInterval: false,
    staleTime: STALE_MS,
  });
  // What follows an unknown name would move when it arrives.
  const className = isLoading ? 'name loading' : 'name';
  const name = listed ?? visible(data?.name ?? accountId.slice(0, ID_LETTERS));
  if (!isLink || !may(getAccount))
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
