import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Context, Rpcs } from '../context.ts';
import { closeMonth } from './close-month.ts';
import { getBillableValue } from './get-billable-value.ts';
import { getLead } from './get-lead.ts';
import { getStatement } from './get-statement.ts';
import { listPrices } from './list-prices.ts';
import { setPrice } from './set-price.ts';
import { streamStatement } from './stream-statement.ts';

/** Serves the RPCs of the service. */
export function routes(context: Context): (router: ConnectRouter) => void {
  const handlers: Rpcs = {
    getBillableValue: getBillableValue(context),
    getLead: getLead(context),
    setPrice: setPrice(context),
    listPrices: listPrices(context),
    closeMonth: closeMonth(context),
    getStatement: getStatement(context),
    streamStatement: streamStatement(context),
  };
  return (router) => {
    auditRoutes(context.pool)(router);
    router.service(BillingService, handlers);
  };
}
