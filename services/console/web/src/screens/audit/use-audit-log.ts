import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { clientOf, keyOf } from '../../calls.ts';
import { MAX_ROWS, notRepeated, type PagedList, useLoadedPages } from '../../components/paged-list.ts';
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
  const { service, target = '', actor = '', account = '', request: requestId = '' } = search;
  const [since, until] = [timestampIn(search.since ?? ''), timestampIn(search.until ?? '')];
  const times = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  const request = { target, actor, accountId: account, requestId, ...times, actions: actionsFor(search) };
  const query = useInfiniteQuery({
    queryKey: keyOf(AuditService.method.listAudit, request, service),
    queryFn: ({ pageParam, signal }) =>
      nextPage(pageParam, PAGE, (of, pageToken) =>
        clientOf(AuditService, of).listAudit({ ...request, pageSize: PAGE, pageToken }, { signal }),
      ),
    initialPageParam: firstPage<StaffService>(service ? [service] : STAFF_SERVICES),
    getNextPageParam: (last, pages) =>
      isLastPage(last) || pages.length * PAGE >= MAX_ROWS ? undefined : last,
    meta: { isList: true },
    ...notRepeated,
  });
  return { list: useLoadedPages(query), failed: query.data?.pages.at(-1)?.failed ?? new Map() };
}
