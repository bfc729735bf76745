import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { Context, PrivacyRpcs } from '../context.ts';
import { erasureMessage } from './erasure-message.ts';
import { readErasure } from './read-erasures.sql.ts';

/**
 * The progress of an erasure, and its certificate. NOT_FOUND for an unknown one. Implements docs/contract.md, section
 * 10.
 */
export function getErasure({ pool }: Context): PrivacyRpcs['getErasure'] {
  return async ({ erasureId }) => {
    const found = await readErasure(pool, erasureId.toLowerCase());
    if (!found) throw refuse(RefusalCode.NOT_FOUND, 'There is no such erasure.');
    return erasureMessage(found.erasure, found.submissions);
  };
}
