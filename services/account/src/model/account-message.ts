import { create } from '@bufbuild/protobuf';
import { type Account as AccountMessage, AccountSchema } from '@supplier/proto/account/v1/account';
import type { Account } from './account.ts';
import { SCOPES, STATES } from './enum-mapping.ts';

/** The account as callers see it. */
export function accountMessage(account: Account): AccountMessage {
  return create(AccountSchema, {
    accountId: account.id,
    name: account.name,
    state: STATES[account.state],
    permittedScopes: account.permittedScopes.map((scope) => SCOPES[scope]),
    terms: account.terms,
    limits: {
      ...(account.writesPerMinute === null ? {} : { writesPerMinute: account.writesPerMinute }),
      ...(account.readsPerMinute === null ? {} : { readsPerMinute: account.readsPerMinute }),
    },
    revision: account.revision,
  });
}
