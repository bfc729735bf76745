import type { Pool } from 'pg';
import type { Sweep } from '../../runtime/sweepers/index.ts';
import { deleteOldCalls } from './stored-call.ts';

export {
  type ActOnce,
  type IdempotentCalls,
  type IdempotentCallsOptions,
  openIdempotentCalls,
  type ResumableAction,
} from './idempotent-calls.ts';

/** Longer than any client retries an unanswered call. */
const KEPT_DAYS = 7;
const EVERY_MS = 3_600_000;
const CHUNK = 500;

/** Deletes idempotency keys that were used more than seven days ago. */
export const forgetOldCalls: Sweep<{ readonly pool: Pool }> = {
  found: 'old idempotency keys deleted',
  everyMs: EVERY_MS,
  async run({ pool }) {
    const count = await deleteOldCalls(pool, KEPT_DAYS, CHUNK);
    return { count, more: count === CHUNK };
  },
};
