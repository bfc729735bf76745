import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { expireUnfinalized } from './expire-unfinalized.ts';
import { removeObjects } from './remove-objects.ts';
import { retention } from './retention.ts';

/** The periodic work of the document service. */
export const SWEEPS: readonly Sweep<Context>[] = [expireUnfinalized, retention, removeObjects];
