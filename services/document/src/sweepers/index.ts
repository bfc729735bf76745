import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { expireUnfinalized } from './expire-unfinalized.ts';
import { forgetAbandoned } from './forget-abandoned.ts';
import { removeObjects } from './remove-objects.ts';
import { retention } from './retention.ts';
import { unacceptedRetention } from './unaccepted-retention.ts';

/** What the document service does without being asked. */
export const SWEEPS: readonly Sweep<Context>[] = [
  expireUnfinalized,
  forgetAbandoned,
  retention,
  unacceptedRetention,
  removeObjects,
];
