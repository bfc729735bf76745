import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Context } from './context.ts';
import { createEndpoint } from './endpoints/create-endpoint.ts';
import { disableEndpoint } from './endpoints/disable-endpoint.ts';
import { enableEndpoint } from './endpoints/enable-endpoint.ts';
import { getEndpoint } from './endpoints/get-endpoint.ts';
import { listEndpoints } from './endpoints/list-endpoints.ts';
import { rotateSecret } from './endpoints/rotate-secret.ts';
import { updateEndpointUrl } from './endpoints/update-endpoint-url.ts';
import { eraseDeliveries } from './erase/erase-deliveries.ts';
import { getDeliveryFigures } from './figures/get-delivery-figures.ts';
import { preflightEndpoint } from './preflight/preflight-endpoint.ts';
import { getEvent } from './read/get-event.ts';
import { listEndpointEvents } from './read/list-endpoint-events.ts';
import { listEvents } from './read/list-events.ts';
import { redeliveryTurns } from './redeliver/index.ts';
import { redeliverEvent } from './redeliver/redeliver-event.ts';
import { redeliverExhausted } from './redeliver/redeliver-exhausted.ts';
import { sendTestEvent } from './redeliver/send-test-event.ts';

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
