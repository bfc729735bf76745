import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

/** Rows that a list holds at most, as `sss … --all` prints. */
export const MOST_ROWS = 10_000;
const PAGE = 100;
/** Pages that are fetched for somebody who scrolls. Of a filter that leaves most of them empty, more come one at a time. */
const UNASKED_PAGES = MOST_ROWS / PAGE;

/** What is known of a list so far, and how to know more of it. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly isFetchingMore: boolean;
  readonly hasMore: boolean;
  /** Whether more is fetched only where somebody asks for it. */
  readonly waitsToBeAsked: boolean;
  readonly fetchMore: () => void;
  /** Asks for all of it again. */
  readonly lookAgain: () => void;
}

interface Page {
  readonly pageSize: number;
  readonly pageToken: string;
}

/**
 * A list that comes in pages of 100, up to 10,000 rows. It is not asked for again by itself: what somebody reads must not move
 * away under their eyes.
 *
 * @param key names what is asked for; nothing personal
 * @param ask one page, and the token of the next (empty when it was the last)
 */
export function usePages<Row>(
  key: readonly unknown[],
  ask: (page: Page, signal: AbortSignal) => Promise<{ readonly rows: readonly Row[]; readonly next: string }>,
  isAsked = true,
): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask({ pageSize: PAGE, pageToken: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }, pages) => {
      const count = pages.reduce((sum, { rows }) => sum + rows.length, 0);
      return count < MOST_ROWS && next ? next : undefined;
    },
    enabled: isAsked,
    meta: { isList: true },
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  return {
    rows: useMemo(() => data?.pages.flatMap(({ rows }) => rows) ?? [], [data]),
    error,
    isFetching,
    isFetchingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    waitsToBeAsked: (data?.pages.length ?? 0) >= UNASKED_PAGES,
    fetchMore: useCallback(() => void fetchNextPage(), [fetchNextPage]),
    lookAgain: useCallback(() => void refetch(), [refetch]),
  };
}
