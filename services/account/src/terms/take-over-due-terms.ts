import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Context } from '../context.ts';
import { inTransaction } from '../store/database.ts';
import { accountsWithDueTerms } from '../store/scheduled-terms-rows.ts';
import { takeOverTerms } from './take-over-terms.ts';

/** Nobody waits for it: every read of an account works out which terms hold. */
const EVERY_MS = 5_000;
const MAX_ACCOUNTS = 100;

/** Takes over scheduled terms that have come into effect, account by account. Implements docs/contract.md, section 5. */
export const takeOverDueTerms: Sweep<Context> = {
  found: 'scheduled terms took effect',
  everyMs: EVERY_MS,
  async run({ db, clock }) {
    const now = clock.now();
    const accounts = await accountsWithDueTerms(db, now, MAX_ACCOUNTS);
    let count = 0;
    for (const id of accounts) if (await inTransaction(db, (tx) => takeOverTerms(tx, id, now))) count += 1;
    return { count, more: accounts.length === MAX_ACCOUNTS };
  },
};
