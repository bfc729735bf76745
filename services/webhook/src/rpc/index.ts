import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Context } from '../context.ts';
import { redeliveryTurns } from '../lifecycle/redelivery.ts';
import { createEndpoint } from './create-endpoint.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { eraseDeliveries } from './erase-deliveries.ts';
import { getDeliveryFigures } from './get-delivery-figures.ts';
import { getEndpoint } from './get-endpoint.ts';
import { getEvent } from './get-event.ts';
import { listEndpointEvents } from './list-endpoint-events.ts';
import { listEndpoints } from './list-endpoints.ts';
import { listEvents } from './list-events.ts';
import { preflightEndpoint } from './preflight-endpoint.ts';
import { redeliverEvent } from './redeliver-event.ts';
import { redeliverExhausted } from './redeliver-exhausted.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTestEvent } from './send-test-event.ts';
import { updateEndpointUrl } from './update-endpoint-url.ts';

/** The RPCs of the webhook service. */
export function routes(context: Context): (router: ConnectRouter) => void {
  const inTurn = redeliveryTurns(context);
  return (router) => {
    auditRoutes(context.pool)(router);
    router.service(WebhookService, {
      createEndpoint: createEndpoint(context),
      getDeliveryFigures: getDeliveryFigures(context),
      getEndpoint: getEndpoint(context),
      getEvent: getEvent(context),
      listEndpointEvents: listEndpointEvents(context),
      listEndpoints: listEndpoints(context),
      listEvents: listEvents(context),
      redeliverEvent: redeliverEvent(context, inTurn),
      redeliverExhausted: redeliverExhausted(context, inTurn),
      sendTestEvent: sendTestEvent(context),
      updateEndpointUrl: updateEndpointUrl(context),
      enableEndpoint: enableEndpoint(context),
      eraseDeliveries: eraseDeliveries(context),
      disableEndpoint: disableEndpoint(context),
      rotateSecret: rotateSecret(context),
      preflightEndpoint: preflightEndpoint(context),
    });
  };
}
