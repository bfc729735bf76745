import type { Context, Rpcs } from '../context.ts';
import { closeActivity, updateEndpoint } from '../store/endpoints.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { endpointMessage } from './endpoint-message.ts';

/**
 * Stops recording changes and pauses waiting deliveries; an attempt under way still finishes. Does nothing for a
 * disabled endpoint. Throws NOT_FOUND without an endpoint. Implements docs/contract.md, section 7.
 */
export function disableEndpoint(context: Context): Rpcs['disableEndpoint'] {
  return async (request, call) => {
    const endpoint = await changeEndpoint(
      context,
      request,
      call,
      async (tx, { endpointId, enabled }, now) => {
        if (!enabled) return undefined;
        await closeActivity(tx, endpointId, now);
        return {
          endpoint: await updateEndpoint(tx, endpointId, { enabled: false }),
          before: { enabled: true },
          after: { enabled: false },
        };
      },
    );
    return endpointMessage(endpoint);
  };
}
