import { Code } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import { isDependencyUnavailable } from '../../data/dependency/index.ts';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { type AccountId, newId } from '../../text/ids/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { accountClient, accountQueries } from './index.ts';

const known = newId<AccountId>();
let server: TestRpcServer<typeof AccountService>;
beforeAll(async () => {
  server = await startTestRpcServer('account', AccountService, (router) =>
    router.service(AccountService, {
      checkAccount: ({ accountId }) => {
        if (accountId !== known) throw refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
        return {};
      },
    }),
  );
});
afterAll(() => server?.close());

it('the account client reports whether an account exists', async () => {
  const { accountExists } = accountQueries(server.as('webhook', 'service:webhook'));
  expect(await accountExists(known)).toBe(true);
  expect(await accountExists(newId<AccountId>())).toBe(false);
});

it('the account client reports every other failure as an unavailable account service, never as a missing account', async () => {
  const unreachable = accountClient('http://127.0.0.1:9', { tokens: { tokenFor: async () => 'a.b.c' } });
  const denied = accountQueries(server.as('document', 'service:document'));
  for (const { accountExists } of [unreachable, denied]) {
    const error = await accountExists(known).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: Code.Unavailable });
    expect(isDependencyUnavailable(error)).toBe(true);
  }
});
