import type { Sweep } from '@supplier/lib/sweepers';
import type { ServiceContext } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments } from '../db/delete-documents.ts';
import { lockAbandoned } from '../db/lock-outdated.ts';
import { abandonedSince } from '../domain/limits.ts';

const MOST = 100;

/** Deletes what was announced and never finalized, 24 hours (a setting) later. Implements docs/contract.md, section 9. */
export const expireUnfinalized: Sweep<ServiceContext> = {
  found: 'deleted uploads that were never finalized',
  everyMs: 60_000,
  async run({ db, clock, limits }) {
    const count = await inTransaction(db, async (tx) => {
      const at = clock.now();
      const abandoned = await lockAbandoned(tx, abandonedSince(limits, at), MOST);
      await deleteDocuments(tx, abandoned, { at, actor: 'service:document', action: 'ExpireUnfinalized' });
      return abandoned.length;
    });
    return { count, more: count === MOST };
  },
};
