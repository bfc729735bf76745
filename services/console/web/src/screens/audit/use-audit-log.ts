import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { audits } from '../../calls.ts';
import { MAX_ROWS, type PagedList } from '../../components/paged-list.ts';
import { timestampIn } from '../../dates.ts';
import type { AuditSearch } from '../../searches.ts';
import { actionsFor } from './actions.ts';
import { firstPage, isLastPage, type MergedEntry, nextPage } from './merged-entries.ts';

const PAGE = 100;

interface AuditLog {
  readonly list: PagedList<MergedEntry<StaffService>>;
  /** Services whose entries are missing, with their errors. */
  readonly failed: ReadonlyMap<StaffService, unknown>;
}

/** Loads the entries of one service, or of all of them by time. */
export function useAuditLog(search: AuditSearch): AuditLog {
  const { service, target, actor, account, request } = search;
  const query = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam, signal }) =>
      nextPage(pageParam, PAGE, (of, pageToken) => {
        const [since, until] = [timestampIn(search.since ?? ''), timestampIn(search.until ?? '')];
        const times = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
        const equal = { target, actor, accountId: account, requestId: request };
        const filters = Object.fromEntries(Object.entries(equal).filter(([, value]) => value));
        const page = { pageSize: PAGE, pageToken };
        return audits[of].listAudit(
          { ...filters, ...times, actions: actionsFor(search), ...page },
          { signal },
        );
      }),
    initialPageParam: firstPage<StaffService>(service ? [service] : STAFF_SERVICES),
    getNextPageParam: (last, pages) =>
      isLastPage(last) || pages.length * PAGE >= MAX_ROWS ? undefined : last,
    meta: { isList: true },
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  return {
    list: {
      rows,
      error,
      isFetching,
      isFetchingMore: isFetchingNextPage,
      hasMore: hasNextPage,
      needsClick: false,
      loadMore: () => void fetchNextPage(),
      refresh: () => void refetch(),
    },
    failed: data?.pages.at(-1)?.failed ?? new Map(),
  };
}
