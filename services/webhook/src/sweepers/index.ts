import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { deleteOldEvents } from './delete-old-events.ts';
import { expirePaused } from './expire-paused.ts';
import { reconcile } from './reconcile.ts';
import { tellFailingEndpoints } from './tell-failing-endpoints.ts';

/** What the webhook service does without being asked. */
export const SWEEPS: readonly Sweep<Context>[] = [
  expirePaused,
  tellFailingEndpoints,
  deleteOldEvents,
  reconcile,
];
