import { serviceActor } from '@supplier/lib/audit';
import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments, lockAbandoned } from '../db/delete-documents.ts';
import { abandonedSince } from '../domain/limits.ts';

const BATCH = 100;

/** Deletes documents that are not finalized within 24 hours (a setting). Implements docs/contract.md, section 9. */
export const expireUnfinalized: Sweep<Context> = {
  found: 'unfinalized documents deleted',
  everyMs: 60_000,
  async run({ db, clock, limits }) {
    const count = await inTransaction(db, async (tx) => {
      const at = clock.now();
      const abandoned = await lockAbandoned(tx, abandonedSince(limits, at), BATCH);
      await deleteDocuments(tx, abandoned, { at, ...serviceActor('document'), action: 'ExpireUnfinalized' });
      return abandoned.length;
    });
    return { count, more: count === BATCH };
  },
};
