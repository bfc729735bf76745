import { forgetOldCalls } from '@supplier/lib/rpc/idempotency';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from './context.ts';
import { expirePaused, notifyFailingEndpoints } from './endpoints/endpoint-sweeps.ts';
import { deleteOldEvents } from './erase/old-events.sql.ts';
import { foldDeliveries } from './figures/delivery-figures.ts';
import { reconcile } from './reconcile/reconcile.ts';

/** The periodic work of the webhook service. */
export const SWEEPS: readonly Sweep<Context>[] = [
  expirePaused,
  notifyFailingEndpoints,
  deleteOldEvents,
  forgetOldCalls,
  foldDeliveries,
  reconcile,
];
