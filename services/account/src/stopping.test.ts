import { Code, ConnectError } from '@connectrpc/connect';
import { createRpcClient } from '@supplier/lib/rpc/rpc-client';
import { createTestIssuer, forAllTests, type TestIssuer } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { AccountService } from '@supplier/proto/account/v1/account';
import { type AccountProcess, startAccountProcess } from '../testing/account-process.ts';
import { openTestDatabase } from '../testing/test-service.ts';

const START_MS = 60_000;
const CALLERS = 12;

let issuer: TestIssuer;

afterAll(() => issuer.close());
const database = forAllTests(() => openTestDatabase());
beforeAll(async () => {
  issuer = await createTestIssuer();
});

const start = () => startAccountProcess({ ...database, ...issuer });
const clientOf =
  (token: string) =>
  ({ baseUrl }: AccountProcess) =>
    createRpcClient(AccountService, {
      baseUrl,
      audience: 'account',
      tokens: { tokenFor: async () => token },
    });

it(
  'a replica stopped under load fails no call and exits with 0 in time',
  async () => {
    const replicas = await Promise.all([start(), start()]);
    const clients = replicas.map(clientOf(await issuer.tokenOf('tester', 'staff:viewer', 'account')));
    const answered = [0, 0];
    const failures: ConnectError[] = [];
    let running = true;

    /** Calls one replica and falls back to the other when it is unavailable, as a service does. */
    const call = async (first: number) => {
      for (const replica of [first, 1 - first]) {
        try {
          await clients[replica]?.getAccount({ accountId: newId() });
        } catch (thrown) {
          const error = ConnectError.from(thrown);
          // The expected response: the account does not exist.
          if (error.code === Code.NotFound) {
            answered[replica] = (answered[replica] ?? 0) + 1;
            return;
          }
          const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
          // Only a refused connection proves that the call was not received.
          if (error.code !== Code.Unavailable || code !== 'ECONNREFUSED') failures.push(error);
        }
      }
      failures.push(new ConnectError('no replica answered'));
    };
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = caller; running; n += 1) await call(n % 2);
    });
    const answeredBy = async (replica: number, more: number) => {
      const goal = (answered[replica] ?? 0) + more;
      while ((answered[replica] ?? 0) < goal) await new Promise((resolve) => setImmediate(resolve));
    };

    await answeredBy(0, 100);
    // A process that waited too long for its callers exits with 1.
    expect(await replicas[0]?.stop()).toBe(0);
    await answeredBy(1, 100);
    running = false;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(await replicas[1]?.stop()).toBe(0);
  },
  START_MS,
);
