import type { Sweep } from '@supplier/lib/sweepers';
import type { ServiceContext } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments } from '../db/delete-documents.ts';
import { lockOutdated } from '../db/lock-outdated.ts';
import { refusedRetainedSince, retainedSince } from '../domain/limits.ts';

const MOST = 100;

/** Deletes documents that have been kept for as long as they may be. Implements docs/contract.md, section 10. */
export const retention: Sweep<ServiceContext> = {
  found: 'deleted documents whose time was over',
  everyMs: 10 * 60_000,
  async run({ db, clock, limits }) {
    const count = await inTransaction(db, async (tx) => {
      const at = clock.now();
      const since = {
        retainedSince: retainedSince(limits, at),
        refusedSince: refusedRetainedSince(limits, at),
      };
      const outdated = await lockOutdated(tx, since, MOST);
      await deleteDocuments(tx, outdated, { at, actor: 'service:document', action: 'Retention' });
      return outdated.length;
    });
    return { count, more: count === MOST };
  },
};
