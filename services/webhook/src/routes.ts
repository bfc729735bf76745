import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Context } from './context.ts';
import {
  createEndpoint,
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpointUrl,
} from './endpoints/endpoint-rpcs.ts';
import { eraseDeliveries } from './erase/erase-deliveries.ts';
import { getDeliveryFigures } from './figures/delivery-figures.ts';
import { type Preflight, preflights } from './preflight/preflight.ts';
import { preflightEndpoint } from './preflight/preflight-rpc.ts';
import { getEvent, listEndpointEvents, listEvents } from './read/event-rpcs.ts';
import { redeliveryTurns } from './redeliver/index.ts';
import { redeliverEvent, redeliverSince, sendTestEvent } from './redeliver/redeliver-rpcs.ts';
import { sendEventNow, sendPendingEvents } from './send-now/send-now-rpcs.ts';

export function routes(
  context: Context,
  preflight: Preflight = preflights(context),
): (router: ConnectRouter) => void {
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
      redeliverSince: redeliverSince(context, inTurn),
      sendEventNow: sendEventNow(context),
      sendPendingEvents: sendPendingEvents(context),
      sendTestEvent: sendTestEvent(context),
      updateEndpointUrl: updateEndpointUrl(context),
      enableEndpoint: enableEndpoint(context),
      eraseDeliveries: eraseDeliveries(context),
      disableEndpoint: disableEndpoint(context),
      rotateSecret: rotateSecret(context),
      preflightEndpoint: preflightEndpoint(context, preflight),
    });
  };
}
