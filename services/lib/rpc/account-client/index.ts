import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { AccountId } from '../../text/ids/index.ts';
import { RefusalCode, refusalOf } from '../refusal/index.ts';
import { callOptions, createRpcClient, type RpcAccess } from '../rpc-client/index.ts';

/** What services that keep data of accounts ask the account service. */
export interface AccountQueries {
  /** Whether there is such an account, suspended or not. Throws UNAVAILABLE when that cannot be known. */
  readonly accountExists: (accountId: AccountId) => Promise<boolean>;
}

/** The queries, answered by the account service at `baseUrl`. Implements docs/contract.md, section 11. */
export function accountClient(baseUrl: string, access: RpcAccess): AccountQueries {
  return accountQueries(createRpcClient(AccountService, { baseUrl, audience: 'account', ...access }));
}

/** The queries by a client. */
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
