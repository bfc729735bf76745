import { serviceActor } from '@supplier/lib/audit';
import type { Sweep } from '@supplier/lib/sweepers';
import type { Context } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import { deleteDocuments, findUnclear, keepAccepted, lockFinalized } from '../db/delete-documents.ts';
import { unacceptedRetainedSince } from '../domain/limits.ts';

const BATCH = 100;

/**
 * Deletes documents after twelve months (a setting) whose submissions were never accepted; the submission service says
 * which were, and nothing is deleted while it does not. Implements docs/contract.md, section 10.
 */
export const unacceptedRetention: Sweep<Context> = {
  found: 'documents of unaccepted submissions deleted',
  everyMs: 10 * 60_000,
  async run({ db, clock, limits, findAccepted }) {
    const at = clock.now();
    const unclear = await findUnclear(db, unacceptedRetainedSince(limits, at), BATCH);
    if (unclear.length === 0) return { count: 0, more: false };
    const accepted = await findAccepted([...new Set(unclear.map(({ submissionId }) => submissionId))]);
    const idsOf = (isAccepted: boolean) =>
      unclear
        .filter(({ submissionId }) => accepted.has(submissionId) === isAccepted)
        .map(({ documentId }) => documentId);
    const count = await inTransaction(db, async (tx) => {
      await keepAccepted(tx, idsOf(true));
      const expired = await lockFinalized(tx, idsOf(false));
      await deleteDocuments(tx, expired, { at, ...serviceActor('document'), action: 'Retention' });
      return expired.length;
    });
    return { count, more: unclear.length === BATCH };
  },
};
