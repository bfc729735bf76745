import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Pages } from '../calls.ts';
import { wasRead } from './kept-place.ts';

/** Maximum rows in a list, the same as `sss … --all` prints. */
export const MAX_ROWS = 10_000;
const PAGE = 100;
/**
 * PagedList loaded by scrolling. After that, for instance with a filter that leaves most pages empty, each page needs a
 * click.
 */
const UNASKED_PAGES = MAX_ROWS / PAGE;
/** Beyond this, the number of new rows is shown as "20+". */
const MAX_NEW = 20;
const NEWS_MS = 10_000;

/** Options of a query that is not repeated automatically. */
export const notRepeated = {
  refetchInterval: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** The loaded rows of a list, and functions that load more. */
export interface PagedList<Row> {
  readonly rows: readonly Row[];
  readonly error: Error | null;
  /** Whether nothing has arrived yet. */
  readonly isPending?: boolean;
  readonly isFetching: boolean;
  readonly isFetchingMore: boolean;
  readonly hasMore: boolean;
  /** Whether loading more needs a click. */
  readonly needsClick: boolean;
  readonly loadMore: () => void;
  /** The first rows as they are now, which may include new ones. */
  readonly latest?: readonly Row[];
  /** Reloads the whole list. Absent for one that can't be reloaded. */
  readonly refresh?: () => void;
}

/** Returns a list that is already complete, so that there is nothing to load. */
export const completeList = <Row>(
  rows: readonly Row[],
  list: Partial<PagedList<Row>> = {},
): PagedList<Row> => ({
  rows,
  error: null,
  isFetching: false,
  isFetchingMore: false,
  hasMore: false,
  needsClick: false,
  loadMore: () => {},
  ...list,
});

interface Loaded {
  readonly rows: readonly unknown[];
  readonly next: string;
}

/** Returns the token of the page after those loaded, or undefined for none. */
export function nextPageOf(pages: readonly Loaded[]): string | undefined {
  const count = pages.reduce((sum, { rows }) => sum + rows.length, 0);
  return count < MAX_ROWS ? pages.at(-1)?.next || undefined : undefined;
}

/**
 * Returns how many rows are new: those before the first known row, or all unknown rows of a list that is loaded
 * completely. Other unknown rows are old ones that moved up.
 */
export function newRows(latest: readonly string[], known: readonly string[], isComplete: boolean): string {
  const isKnown = new Set(known);
  const first = latest.findIndex((key) => isKnown.has(key));
  const added = isComplete || first < 0 ? latest : latest.slice(0, first);
  const count = added.filter((key) => !isKnown.has(key)).length;
  return count > MAX_NEW ? `${MAX_NEW}+` : count > 0 ? `${count}` : '';
}

const NO_ROWS: readonly never[] = [];

/**
 * Loads a list in pages of 100, up to 10,000 rows. It is never reloaded automatically, not even after Back, so that rows
 * don't move while a person reads them. Its first rows are polled separately while the page is visible.
 */
export function usePagedList<Row, Answer extends { readonly nextPageToken: string }>(
  { queryKey, ask }: Pages<Answer>,
  rowsOf: (answer: Answer) => readonly Row[],
): Required<PagedList<Row>> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const answer = await ask({ pageSize: PAGE, pageToken: pageParam }, { signal });
      return { rows: rowsOf(answer), next: answer.nextPageToken };
    },
    initialPageParam: '',
    getNextPageParam: (_, pages) => nextPageOf(pages),
    meta: { isList: true },
    refetchOnMount: ({ state }) => state.isInvalidated || !wasRead(),
    ...notRepeated,
  });
  const list = useLoadedPages(query);
  const latest = useQuery({
    queryKey: [...queryKey, 'latest'],
    queryFn: async ({ signal }) => {
      // New rows of a list in the order of receipt are at its end.
      const pageSize = list.hasMore ? MAX_NEW + 1 : Math.min(list.rows.length + MAX_NEW + 1, PAGE);
      return rowsOf(await ask({ pageSize, pageToken: '' }, { signal }));
    },
    enabled: query.data !== undefined,
    initialData: NO_ROWS,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: NEWS_MS,
    meta: { isList: true },
  });
  return { ...list, latest: latest.dataUpdatedAt > query.dataUpdatedAt ? latest.data : NO_ROWS };
}

type LoadedPages<Row> = UseInfiniteQueryResult<InfiniteData<{ readonly rows: readonly Row[] }>>;

/** Returns the list whose pages an infinite query loads. */
export function useLoadedPages<Row>(query: LoadedPages<Row>): Required<Omit<PagedList<Row>, 'latest'>> {
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    query;
  return {
    rows: useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]),
    error,
    isPending,
    isFetching,
    isFetchingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    needsClick: (data?.pages.length ?? 0) >= UNASKED_PAGES,
    loadMore: useCallback(() => void fetchNextPage(), [fetchNextPage]),
    refresh: useCallback(() => void refetch(), [refetch]),
  };
}
