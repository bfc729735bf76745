import { Code } from '@connectrpc/connect';
import { MutationCache, QueryCache, type QueryClientConfig } from '@tanstack/react-query';
import { codeOf, isLoggedOut } from './calls.ts';
import { sessionIsOver } from './session.ts';

/** How often what is on the screen is looked at again, while somebody looks at it. */
export const LIVE_MS = 5_000;
/** The same beside a stream, which says most of it sooner. */
export const BESIDE_STREAM_MS = 30_000;

/** How often to look again at what can be had; what cannot is tried again as soon as anything is. */
export const everyMs =
  (ms: number) =>
  ({ state }: { readonly state: { readonly error: Error | null } }): number =>
    state.error ? LIVE_MS : ms;

const noteEnd = (error: unknown) => {
  if (isLoggedOut(error)) sessionIsOver();
};

/** A refusal stays one however often it is asked for; a service that is away may come back. */
export const queryOptions: QueryClientConfig = {
  queryCache: new QueryCache({ onError: noteEnd }),
  mutationCache: new MutationCache({ onError: noteEnd }),
  defaultOptions: {
    queries: {
      refetchInterval: LIVE_MS,
      staleTime: 1_000,
      retry: (failures, error) => codeOf(error) === Code.Unavailable && failures < 1,
    },
  },
};
