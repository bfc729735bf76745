import type { ConnectRouter } from '@connectrpc/connect';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { ServiceContext } from '../context.ts';
import { createEndpoint } from './create-endpoint.ts';
import { getEndpoint } from './get-endpoint.ts';
import { listEvents } from './list-events.ts';

/** The RPCs of the webhook service. */
export function webhookRoutes(context: ServiceContext): (router: ConnectRouter) => void {
  return (router) => {
    router.service(WebhookService, {
      createEndpoint: createEndpoint(context),
      getEndpoint: getEndpoint(context),
      listEvents: listEvents(context),
    });
  };
}
