import { requestedPage } from '@supplier/lib/rpc/page-token';
import { requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, type EndpointId, parseId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { ListEndpointsRequestSchema } from '@supplier/proto/webhook/v1/list_endpoints';
import type { Context, Rpcs } from '../context.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import { endpointMessage } from './endpoint-message.ts';
import { listEndpoints as listMatching } from './list-endpoints.sql.ts';

/**
 * Endpoints, latest created first, page by page, with the number of events that wait for each. VALIDATION_ERROR for a
 * page token of another query. Implements docs/contract.md, section 11.
 */
export function listEndpoints({ pool }: Pick<Context, 'pool'>): Rpcs['listEndpoints'] {
  return async (request) => {
    const page = requestedPage(ListEndpointsRequestSchema, request, parseId<EndpointId>);
    const { accountId, environment, failing, disabled } = request;
    const filter = {
      accountId: accountId === undefined ? undefined : requestedId<AccountId>('account_id', accountId),
      environment: environment === Environment.UNSPECIFIED ? undefined : requestedEnvironment(environment),
      failing,
      disabled,
    };
    const { endpoints, next } = await listMatching(pool, filter, page.after, page.size);
    return {
      endpoints: endpoints.map(({ endpoint, waiting, oldestWaitingSince }) => ({
        endpoint: endpointMessage(endpoint),
        waiting,
        ...(oldestWaitingSince ? { oldestWaitingSince: toTimestamp(oldestWaitingSince) } : {}),
      })),
      nextPageToken: page.tokenAfter(next),
    };
  };
}
