import type { Sweep } from '@supplier/lib/sweepers';
import type { ServiceContext } from '../context.ts';
import { expireUnfinalized } from './expire-unfinalized.ts';
import { removeObjects } from './remove-objects.ts';
import { retention } from './retention.ts';

/** What the document service does without being asked. */
export const SWEEPS: readonly Sweep<ServiceContext>[] = [expireUnfinalized, retention, removeObjects];
