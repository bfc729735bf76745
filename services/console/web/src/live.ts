import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { Code } from '@connectrpc/connect';
import { hashKey, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { codeOf, isLoggedOut, type queryOf } from './calls.ts';
import { LIVE_MS } from './queries.ts';
import { sessionIsOver, useSession } from './session.ts';

/** A stream sends a message at least every 25 s. */
const SILENT_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A stream that ends sooner is not reopened immediately: its token may have expired. */
const LASTED_MS = 10_000;
/** Reopening the stream would fail with the same code. */
const FINAL = new Set([Code.NotFound, Code.PermissionDenied, Code.InvalidArgument]);

export interface Live<Answer> {
  readonly query: UseQueryResult<Answer>;
  /** Whether changes arrive by stream. Otherwise the value is polled every five seconds. */
  readonly isLive: boolean;
  /** Whether the stream was lost and is being reopened. */
  readonly isLost: boolean;
}

type State = 'opening' | 'live' | 'lost';

/** Returns a query whose value a stream keeps up to date while the page is visible and the login is valid. */
export function useWatched<O extends DescMessage>(watched: {
  /** Fetches the value once, for use while there is no stream. */
  readonly query: ReturnType<typeof queryOf<DescMessage, O>>;
  /** Whether the person's roles allow the call. Otherwise nothing is requested. */
  readonly isAllowed: boolean;
  /** Streams the current value, and again after each change. */
  readonly watch: (options: CallOptions) => AsyncIterable<MessageShape<O>>;
  /** Called with each value that replaces a previous one. */
  readonly onChange?: (before: MessageShape<O>, now: MessageShape<O>) => void;
}): Live<MessageShape<O>> {
  const queries = useQueryClient();
  const { isOver } = useSession();
  const [state, setState] = useState<State>('opening');
  const latest = useRef(watched);
  latest.current = watched;
  const { isAllowed } = watched;
  const key = hashKey(watched.query.queryKey);
  useEffect(() => {
    setState('opening');
    const { queryKey } = latest.current.query;
    // Each stream serves one key. A new key opens a new stream.
    if (isOver || !isAllowed || hashKey(queryKey) !== key) return;
    const left = new AbortController();
    void follow<MessageShape<O>>({
      left: left.signal,
      watch: (options) => latest.current.watch(options),
      onState: setState,
      take: (now) => {
        // A response to an earlier request may be older.
        void queries.cancelQueries({ queryKey, exact: true });
        const before = queries.getQueryData<MessageShape<O>>(queryKey);
        queries.setQueryData(queryKey, now);
        if (before !== undefined) latest.current.onChange?.(before, now);
      },
    });
    return () => left.abort();
  }, [key, isAllowed, isOver, queries]);
  const isLive = state === 'live';
  const query = useQuery({
    ...watched.query,
    enabled: isAllowed,
    refetchInterval: isLive ? false : LIVE_MS,
  });
  return { query, isLive, isLost: state === 'lost' };
}

interface Followed<Answer> {
  /** Aborts when the screen is closed. */
  readonly left: AbortSignal;
  readonly watch: (options: CallOptions) => AsyncIterable<Answer>;
  readonly take: (answer: Answer) => void;
  readonly onState: (state: State) => void;
}

/**
 * Opens the stream repeatedly while the page is visible, until the screen is closed or the stream fails permanently.
 */
async function follow<Answer>({ left, watch, take, onState }: Followed<Answer>): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !left.aborted; ) {
    await lookedAt(left);
    const stream = untilUnseen(left);
    let hasCome = false;
    const openedAt = performance.now();
    try {
      for await (const answer of watch({ signal: stream.signal, timeoutMs: 0 })) {
        if (stream.signal.aborted) break;
        [hasCome, pauseMs] = [true, FIRST_PAUSE_MS];
        stream.heard();
        take(answer);
        onState('live');
      }
    } catch (error) {
      hasCome = false;
      if (left.aborted) return;
      if (FINAL.has(codeOf(error))) return onState('opening');
      if (isLoggedOut(error)) return sessionIsOver();
    } finally {
      stream.close();
    }
    // Reopen immediately after a stream ended normally. A hidden page shows no state.
    const hasLasted = performance.now() - openedAt > LASTED_MS;
    if ((hasCome && hasLasted) || left.aborted || document.hidden) continue;
    onState('lost');
    await pause(pauseMs * (0.5 + Math.random() / 2), left);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/**
 * Returns a signal that aborts when the screen is closed, when the page is hidden (which frees a connection), or after
 * a minute without messages.
 */
function untilUnseen(left: AbortSignal) {
  const end = new AbortController();
  const abort = () => end.abort();
  let timer = window.setTimeout(abort, SILENT_MS);
  const onVisibility = () => {
    if (document.hidden) abort();
  };
  left.addEventListener('abort', abort);
  document.addEventListener('visibilitychange', onVisibility);
  if (left.aborted) abort();
  return {
    signal: end.signal,
    heard() {
      window.clearTimeout(timer);
      timer = window.setTimeout(abort, SILENT_MS);
    },
    close() {
      window.clearTimeout(timer);
      left.removeEventListener('abort', abort);
      document.removeEventListener('visibilitychange', onVisibility);
      abort();
    },
  };
}

/** Resolves once the page is visible or the screen is closed. */
const lookedAt = (left: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !left.aborted) return;
      document.removeEventListener('visibilitychange', look);
      left.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    left.addEventListener('abort', look);
    look();
  });

/** Resolves after `ms`, or earlier when the network is back or the screen is closed. */
const pause = (ms: number, left: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      window.clearTimeout(timer);
      window.removeEventListener('online', end);
      left.removeEventListener('abort', end);
      resolve();
    };
    const timer = window.setTimeout(end, ms);
    window.addEventListener('online', end);
    left.addEventListener('abort', end);
  });
