import type { AccountId } from '@supplier/lib/ids';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/refusal';
import type { Rpcs, ServiceContext } from '../context.ts';
import { findEndpoint } from '../db/endpoints.ts';
import { endpointMessage } from '../messages/endpoint-message.ts';
import { requestedEnvironment } from './requested-environment.ts';

/** The endpoint of an account and environment, without its secret. Throws NOT_FOUND when there is none. */
export function getEndpoint({ db }: ServiceContext): Rpcs['getEndpoint'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const endpoint = await findEndpoint(db, accountId, requestedEnvironment(request.environment));
    if (!endpoint) throw refuse(RefusalCode.NOT_FOUND, 'The account has no endpoint in this environment.');
    return endpointMessage(endpoint);
  };
}
