import { serviceActor } from '@supplier/lib/governance/audit';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { refusedRetainedSince, retainedSince } from '../model/limits.ts';
import { findExpired } from './delete-documents.sql.ts';
import { removeUnlessHeld } from './remove-unless-held.ts';

const BATCH = 100;

/** Deletes documents whose retention has ended and that no legal hold keeps. Implements docs/contract.md, section 10. */
export const retention: Sweep<Context> = {
  found: 'expired documents deleted',
  everyMs: 10 * 60_000,
  async run(context) {
    const { db, clock, limits } = context;
    const at = clock.now();
    const since = {
      retainedSince: retainedSince(limits, at),
      refusedSince: refusedRetainedSince(limits, at),
    };
    const expired = await findExpired(db, since, at, BATCH);
    const deletion = { at, ...serviceActor('document'), action: 'Retention' };
    const count = await removeUnlessHeld(context, expired, 'finalized', deletion);
    return { count, more: expired.length === BATCH };
  },
};
