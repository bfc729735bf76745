import { serviceActor } from '@supplier/lib/audit';
import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments, lockExpired } from '../db/delete-documents.ts';
import { refusedRetainedSince, retainedSince } from '../domain/limits.ts';

const BATCH = 100;

/** Deletes documents whose retention has ended. Implements docs/contract.md, section 10. */
export const retention: Sweep<Context> = {
  found: 'expired documents deleted',
  everyMs: 10 * 60_000,
  async run({ db, clock, limits }) {
    const count = await inTransaction(db, async (tx) => {
      const at = clock.now();
      const since = {
        retainedSince: retainedSince(limits, at),
        refusedSince: refusedRetainedSince(limits, at),
      };
      const expired = await lockExpired(tx, since, BATCH);
      await deleteDocuments(tx, expired, { at, ...serviceActor('document'), action: 'Retention' });
      return expired.length;
    });
    return { count, more: count === BATCH };
  },
};
