import { forgetOldCalls } from '@supplier/lib/rpc/idempotency';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { deleteOldEvents } from './delete-old-events.ts';
import { expirePaused } from './expire-paused.ts';
import { foldDeliveries } from './fold-deliveries.ts';
import { notifyFailingEndpoints } from './notify-failing-endpoints.ts';
import { reconcile } from './reconcile.ts';

/** The periodic work of the webhook service. */
export const SWEEPS: readonly Sweep<Context>[] = [
  expirePaused,
  notifyFailingEndpoints,
  deleteOldEvents,
  forgetOldCalls,
  foldDeliveries,
  reconcile,
];
