import { serviceActor } from '@supplier/lib/governance/audit';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { unacceptedRetainedSince } from '../model/limits.ts';
import { findUnclear, keepAccepted } from './delete-documents.sql.ts';
import { removeUnlessHeld } from './remove-unless-held.ts';

const BATCH = 100;

/**
 * Deletes documents after twelve months (a setting) whose submissions were never accepted and that no legal hold keeps;
 * the submission service says both, and nothing is deleted while it does not. Implements docs/contract.md, section 10.
 */
export const unacceptedRetention: Sweep<Context> = {
  found: 'documents of unaccepted submissions deleted',
  everyMs: 10 * 60_000,
  async run(context) {
    const { db, clock, limits, findAccepted } = context;
    const at = clock.now();
    const unclear = await findUnclear(db, unacceptedRetainedSince(limits, at), at, BATCH);
    if (unclear.length === 0) return { count: 0, more: false };
    const accepted = await findAccepted([...new Set(unclear.map(({ submissionId }) => submissionId))]);
    const isAccepted = ({ submissionId }: { readonly submissionId: SubmissionId }) =>
      accepted.has(submissionId);
    await keepAccepted(
      db,
      unclear.filter(isAccepted).map(({ documentId }) => documentId),
    );
    const expired = unclear.filter((document) => !isAccepted(document));
    const deletion = { at, ...serviceActor('document'), action: 'Retention' };
    const count = await removeUnlessHeld(context, expired, 'finalized', deletion);
    return { count, more: unclear.length === BATCH };
  },
};
