import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { Context, Rpcs } from '../context.ts';
import { useJourneyCode } from './use-journey-link.sql.ts';

/**
 * The submission whose journey continues, for the code that a used link gave out: once, within 60 seconds, however many
 * calls come at the same time. A wrong, used or expired code gets the same refusal. Implements docs/contract.md,
 * section 11.
 */
export function exchangeJourneyCode({ clock, db }: Context): Rpcs['exchangeJourneyCode'] {
  return async ({ code }) => {
    const owner = await useJourneyCode(db, code, clock.now());
    if (!owner) {
      throw refuse(RefusalCode.NOT_FOUND, 'This code does not work: a code works once, for 60 seconds.');
    }
    return owner;
  };
}
