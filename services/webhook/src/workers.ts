import { forgetOldCalls } from '@supplier/lib/rpc/idempotency';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from './context.ts';
import { expirePaused } from './endpoints/expire-paused.ts';
import { notifyFailingEndpoints } from './endpoints/notify-failing-endpoints.ts';
import { deleteOldEvents } from './erase/delete-old-events.ts';
import { foldDeliveries } from './figures/fold-deliveries.ts';
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
