import { create } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/text/ids';
import { ListCredentialsResponseSchema } from '@supplier/proto/account/v1/account';
import type { Context, Rpcs } from '../context.ts';
import { credentialMessage } from '../model/credential-message.ts';
import { idFrom, unknownAccount } from '../refusals.ts';
import { accountExists } from '../store/account-rows.ts';
import { newestCredentials } from '../store/credential-rows.ts';

/** The newest 1,000 credentials of an account, ended ones included, newest first. Throws NOT_FOUND. */
export function listCredentials({ db }: Context): Rpcs['listCredentials'] {
  return async (request) => {
    const accountId = idFrom<AccountId>('account_id', request.accountId);
    if (!(await accountExists(db, accountId))) throw unknownAccount();
    const credentials = await newestCredentials(db, accountId);
    return create(ListCredentialsResponseSchema, { credentials: credentials.map(credentialMessage) });
  };
}
