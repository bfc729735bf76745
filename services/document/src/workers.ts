import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from './context.ts';
import { expireUnfinalized } from './erase/expire-unfinalized.ts';
import { forgetAbandoned } from './erase/forget-abandoned.ts';
import { removeObjects } from './erase/remove-objects.ts';
import { retention } from './erase/retention.ts';
import { unacceptedRetention } from './erase/unaccepted-retention.ts';

/** What the document service does without being asked. */
export const SWEEPS: readonly Sweep<Context>[] = [
  expireUnfinalized,
  forgetAbandoned,
  retention,
  unacceptedRetention,
  removeObjects,
];
