import { invalid } from '@supplier/lib/rpc/refusal';
import type { Context, Rpcs } from '../context.ts';
import { checkEndpointUrl } from '../model/endpoint-url.ts';
import { updateEndpoint } from '../store/endpoints.ts';
import { changeEndpoint } from './change-endpoint.ts';
import { endpointMessage } from './endpoint-message.ts';

/**
 * Sends events to another URL from the next attempt on, including retries of earlier events. Does nothing if the URL is
 * the same. Throws VALIDATION_ERROR for a URL that events may not be sent to, NOT_FOUND without an endpoint. Implements
 * docs/contract.md, section 7.
 */
export function updateEndpointUrl(context: Context): Rpcs['updateEndpointUrl'] {
  return async (request, call) => {
    const check = checkEndpointUrl(request.url, context.policy);
    if (!check.ok) throw invalid('url', check.message);
    const endpoint = await changeEndpoint(context, request, call, async (tx, { endpointId, url }) => {
      if (url === check.url) return undefined;
      return {
        endpoint: await updateEndpoint(tx, endpointId, { url: check.url }),
        before: { url },
        after: { url: check.url },
      };
    });
    return endpointMessage(endpoint);
  };
}
