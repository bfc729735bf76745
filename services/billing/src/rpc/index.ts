import type { ConnectRouter } from '@connectrpc/connect';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { ServiceContext } from '../context.ts';
import { getLead } from './get-lead.ts';
import { getLeads } from './get-leads.ts';

/** The RPCs of the billing service. */
export function billingRoutes(context: ServiceContext): (router: ConnectRouter) => void {
  return (router) => {
    router.service(BillingService, {
      getLead: getLead(context),
      getLeads: getLeads(context),
    });
  };
}
