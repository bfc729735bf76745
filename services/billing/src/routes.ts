import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Context, Rpcs } from './context.ts';
import { getBillableValue } from './figures/billable-value.ts';
import { getSubmissionLedger } from './ledger/get-submission-ledger.ts';
import { listPrices, setPrice } from './prices/price-rpcs.ts';
import { closeMonth, getStatement } from './statements/statement-rpcs.ts';
import { streamStatement } from './statements/stream-statement.ts';

export function routes(context: Context): (router: ConnectRouter) => void {
  const handlers: Rpcs = {
    getBillableValue: getBillableValue(context),
    getSubmissionLedger: getSubmissionLedger(context),
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
