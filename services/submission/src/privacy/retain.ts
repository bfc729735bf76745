import { inTransaction } from '@supplier/lib/data/postgres';
import { serviceActor } from '@supplier/lib/governance/audit';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import { ErasureReason } from '@supplier/proto/submission/v1/erasures';
import type { Context } from '../context.ts';
import { lockSubjects } from './legal-holds.sql.ts';
import { recordErasure } from './request-erasure.ts';
import { countUnfinished, findExpired, keptSince } from './retention.sql.ts';

const EVERY_MS = 10 * 60_000;
/** Maximum submissions in one erasure. */
const BATCH = 100;
/** At this many unfinished erasures no more are handed over, so that staff's requests do not queue behind them. */
const MAX_UNFINISHED = 500;

/**
 * Hands over applicants whose retention has ended to the erasure process, in batches; never one under legal hold. With
 * several processes, each applicant is handed over once. While 500 erasures are unfinished it waits, and logs that;
 * erasures under legal hold do not count. Implements docs/contract.md, section 10.
 */
export const retain: Sweep<Context> = {
  found: 'retention of applicants ended',
  everyMs: EVERY_MS,
  async run(context) {
    const { workPool, clock, config, wakes, log } = context;
    const unfinished = await countUnfinished(workPool);
    if (unfinished >= MAX_UNFINISHED) {
      log.warn({ count: unfinished, limit: MAX_UNFINISHED }, 'retention waits for erasures');
      return { count: 0, more: false };
    }
    const at = clock.now();
    const count = await inTransaction(workPool, async (tx) => {
      const expired = await findExpired(tx, keptSince(config.retention, at), BATCH);
      if (expired.length === 0) return 0;
      const locked = await lockSubjects(tx, expired);
      // A submission may have been put under hold, or handed over by another process, since the search.
      const subjects = locked.filter((row) => !row.held && row.erasure_id === null && row.erased_at === null);
      if (subjects.length === 0) return 0;
      const by = serviceActor('submission');
      const purpose = 'The retention of the applicant has ended.';
      const reason = ErasureReason.RETENTION;
      await recordErasure(tx, { at, by, action: 'Retention', reason, purpose }, subjects);
      return subjects.length;
    });
    if (count > 0) wakes.erasures();
    return { count, more: count === BATCH };
  },
};
