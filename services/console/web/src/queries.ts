import { Code } from '@connectrpc/connect';
import { MutationCache, QueryCache, type QueryClientConfig } from '@tanstack/react-query';
import { codeOf, isLoggedOut } from './calls.ts';
import { sessionIsOver } from './session.ts';

/** Polling interval of visible data. */
export const LIVE_MS = 5_000;
/** Polling interval beside a stream, which delivers most changes earlier. */
export const BESIDE_STREAM_MS = 30_000;

/**
 * Returns a function that polls every `ms`, or every LIVE_MS after an error, so that a failed query recovers sooner.
 */
export const everyMs =
  (ms: number) =>
  ({ state }: { readonly state: { readonly error: Error | null } }): number =>
    state.error ? LIVE_MS : ms;

const noteEnd = (error: unknown) => {
  if (isLoggedOut(error)) sessionIsOver();
};

/** Only unavailable services are retried. A refusal would only be repeated. */
export const queryOptions: QueryClientConfig = {
  queryCache: new QueryCache({ onError: noteEnd }),
  mutationCache: new MutationCache({ onError: noteEnd }),
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // Without a network, a screen says so instead of waiting.
      networkMode: 'always',
      refetchInterval: LIVE_MS,
      staleTime: 1_000,
      retry: (failures, error) => codeOf(error) === Code.Unavailable && failures < 1,
    },
  },
};
