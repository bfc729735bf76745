import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Context, Rpcs } from '../context.ts';
import { getLead } from './get-lead.ts';
import { getLeads } from './get-leads.ts';

/** Serves the RPCs of the service. */
export function routes(context: Context): (router: ConnectRouter) => void {
  const handlers: Rpcs = {
    getLead: getLead(context),
    getLeads: getLeads(context),
  };
  return (router) => {
    auditRoutes(context.pool)(router);
    router.service(BillingService, handlers);
  };
}
