import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../../calls.ts';
import { figuresQuery } from '../../figures-query.ts';
import { HEALTH_MS, healthOf, LATEST } from './endpoint-health.ts';

/** Returns the health of an endpoint. */
export const useEndpointHealth = (accountId: string, environment: number, isPolled = true) =>
  useQuery({
    ...figuresQuery,
    ...(isPolled ? {} : { refetchInterval: false }),
    queryKey: ['endpoint-health', accountId, environment],
    queryFn: async ({ signal }) => {
      const recordedSince = timestampFromMs(Date.now() - HEALTH_MS);
      const request = { accountId, environment, recordedSince, pageSize: LATEST };
      const { events, nextPageToken } = await webhooks.listEndpointEvents(request, { signal });
      return { ...healthOf(events, Date.now()), isCut: nextPageToken !== '' };
    },
  });
