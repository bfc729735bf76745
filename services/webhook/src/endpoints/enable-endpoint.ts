import type { Context, Rpcs } from '../context.ts';
import { openActivity, updateEndpoint } from '../store/endpoints.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { endpointMessage } from './endpoint-message.ts';
import { expirePausedOf } from './old-events.sql.ts';

/**
 * Records changes again from now on and resumes waiting deliveries; those recorded too long ago end as expired. Does
 * nothing for an enabled endpoint. Throws NOT_FOUND without an endpoint. Implements docs/contract.md, section 7.
 */
export function enableEndpoint(context: Context): Rpcs['enableEndpoint'] {
  return async (request, call) => {
    let expired = 0;
    const endpoint = await changeEndpoint(
      context,
      request,
      call,
      async (tx, { endpointId, enabled }, now) => {
        if (enabled) return undefined;
        await openActivity(tx, endpointId, now);
        expired = await expirePausedOf(tx, endpointId, context.pausedDeliveryMs);
        return {
          endpoint: await updateEndpoint(tx, endpointId, { enabled: true }),
          before: { enabled: false },
          after: { enabled: true, expiredEvents: expired },
        };
      },
    );
    context.countExpired(expired);
    context.wakes.delivery(endpoint.endpointId);
    return endpointMessage(endpoint);
  };
}
