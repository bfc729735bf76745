import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { keyOf, queryOf, webhooks } from '../../calls.ts';
import { figuresQuery } from '../../figures-query.ts';
import { HEALTH_MS, healthOf, LATEST, UNDELIVERED_STATES } from './endpoint-health.ts';

const { listEndpointEvents } = WebhookService.method;

/** Returns the health of an endpoint. */
export const useEndpointHealth = (accountId: string, environment: number, isPolled = true) =>
  useQuery({
    ...figuresQuery,
    ...(isPolled ? {} : { refetchInterval: false }),
    queryKey: keyOf(listEndpointEvents, { accountId, environment, pageSize: LATEST }),
    queryFn: async ({ signal }) => {
      const recordedSince = timestampFromMs(Date.now() - HEALTH_MS);
      const request = { accountId, environment, recordedSince, pageSize: LATEST };
      const { events, nextPageToken } = await webhooks.listEndpointEvents(request, { signal });
      return { ...healthOf(events, Date.now()), isCut: nextPageToken !== '' };
    },
  });

/** Enough to find a few that were not redelivered, and one that was attempted. */
export const UNDELIVERED_PAGE = 50;

/** Returns the latest events of an endpoint in states other than delivered: pending, exhausted and expired ones. */
export const useUndelivered = (accountId: string, environment: number, isPolled = true) =>
  useQuery({
    ...(isPolled ? {} : figuresQuery),
    ...queryOf(listEndpointEvents, {
      accountId,
      environment,
      states: [...UNDELIVERED_STATES],
      pageSize: UNDELIVERED_PAGE,
    }),
  });
