import { requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { noEndpoint } from '../refusals.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import { findEndpoint } from '../store/endpoints.ts';
import { endpointMessage } from './endpoint-message.ts';

/** The endpoint of an account and environment, without its secret. Throws NOT_FOUND when there is none. */
export function getEndpoint({ db }: Context): Rpcs['getEndpoint'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const endpoint = await findEndpoint(db, accountId, requestedEnvironment(request.environment));
    if (!endpoint) throw noEndpoint();
    return endpointMessage(endpoint);
  };
}
