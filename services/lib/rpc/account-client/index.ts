import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { AccountId } from '../../text/ids/index.ts';
import { RefusalCode, refusalOf } from '../refusal/index.ts';
import { callOptions, createRpcClient, type RpcAccess } from '../rpc-client/index.ts';

/** Queries to the account service, for services that store account data. */
export interface AccountQueries {
  /** Returns whether the account exists, suspended or not. Throws UNAVAILABLE when that is unknown. */
  readonly accountExists: (accountId: AccountId) => Promise<boolean>;
}

/** Returns queries to the account service at `baseUrl`. Implements docs/contract.md, section 11. */
export function accountClient(baseUrl: string, access: RpcAccess): AccountQueries {
  return accountQueries(createRpcClient(AccountService, { baseUrl, audience: 'account', ...access }));
}

/** Returns queries that use the given client. */
export function accountQueries(accounts: Client<typeof AccountService>): AccountQueries {
  return {
    async accountExists(accountId) {
      try {
        await accounts.checkAccount({ accountId }, callOptions());
        return true;
      } catch (error) {
        if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return false;
        const message = 'The account service is unavailable.';
        throw new ConnectError(message, Code.Unavailable, undefined, undefined, error);
      }
    },
  };
}
