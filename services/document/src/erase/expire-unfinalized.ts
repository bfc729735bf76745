import { serviceActor } from '@supplier/lib/governance/audit';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { abandonedSince } from '../model/limits.ts';
import { findAbandoned } from './delete-documents.sql.ts';
import { removeUnlessHeld } from './remove-unless-held.ts';

const BATCH = 100;

/**
 * Deletes documents that are not finalized within 24 hours (a setting), but for those of a reference that is under legal
 * hold. It is no act of anybody, and not audited. Implements docs/contract.md, section 9.
 */
export const expireUnfinalized: Sweep<Context> = {
  found: 'unfinalized documents deleted',
  everyMs: 60_000,
  async run(context) {
    const at = context.clock.now();
    const abandoned = await findAbandoned(context.db, abandonedSince(context.limits, at), at, BATCH);
    const deletion = {
      at,
      ...serviceActor('document'),
      action: 'ExpireUnfinalized',
      isUnaudited: true,
    } as const;
    const count = await removeUnlessHeld(context, abandoned, 'awaiting_upload', deletion);
    return { count, more: abandoned.length === BATCH };
  },
};
