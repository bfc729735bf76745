import type { ConnectRouter } from '@connectrpc/connect';
import { AccountService, AccountState } from '@supplier/proto/account/v1/account';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';
import { exitCodes } from '../exit-codes.ts';

const idOf = (number: number) => `01998c1e-7d5c-7000-8000-00000000000${number}`;
const NAMES = ['Sample Brokers', 'Sample Brokers Leeds', 'Tidewell', 'Twin', 'twin'];

describe('a supplier named instead of its account', () => {
  let services: FakeServices;
  const asked: string[] = [];
  beforeAll(async () => {
    services = await startFakeServices((router: ConnectRouter) => {
      router.service(AccountService, {
        listAccounts: ({ nameContains = '' }) => ({
          accounts: NAMES.flatMap((name, at) =>
            name.toLowerCase().includes(nameContains.toLowerCase())
              ? [{ accountId: idOf(at + 1), name, state: AccountState.ACTIVE }]
              : [],
          ),
        }),
        updateAccount: ({ accountId }) => {
          asked.push(accountId);
          return { accountId };
        },
        getAccount: ({ accountId }) => {
          asked.push(accountId);
          return { accountId, name: 'any' };
        },
      });
      router.service(WebhookService, {
        listEndpoints: ({ accountId = '' }) => {
          asked.push(accountId);
          return {};
        },
      });
    });
  });
  beforeEach(() => void asked.splice(0));
  afterAll(() => services.close());

  it.each([
    ['its exact name, although others contain it', 'sample brokers', 1],
    ['a part that only one name contains', 'tide', 3],
  ])('is found by %s', async (_, name, number) => {
    const { code, stderr } = await services.run('accounts', 'show', name);
    expect({ code, asked }).toEqual({ code: 0, asked: [idOf(number)] });
    expect(stderr).toContain(`supplier: ${NAMES[number - 1]}, account ${idOf(number)}`);
  });

  it('is found for a flag as well', async () => {
    const { code } = await services.run('endpoints', 'list', '--account-id', 'Tidewell');
    expect({ code, asked }).toEqual({ code: 0, asked: [idOf(3)] });
  });

  it('is not looked up when its account id is given', async () => {
    const before = services.received.length;
    await services.run('accounts', 'show', `"${idOf(2)}"`);
    expect(services.received.slice(before).map(({ rpc }) => rpc)).toEqual(['GetAccount']);
  });

  it.each([
    ['sample', 'only a part of a name: give more of it', [1, 2]],
    ['TWIN', 'the name of several suppliers', [4, 5]],
  ])('is refused with the candidates if %p names several', async (name, reason, candidates) => {
    const { code, stderr } = await services.run('accounts', 'show', name);
    expect({ code, asked }).toEqual({ code: exitCodes.usage, asked: [] });
    expect(stderr).toContain(reason);
    for (const number of candidates) expect(stderr).toContain(`${idOf(number)}  ${NAMES[number - 1]}`);
  });

  it('is found for a change only by the whole name', async () => {
    const change = (name: string) => services.run('accounts', 'update', name, '--writes-per-minute', '60');
    const part = await change('tide');
    expect({ code: part.code, asked }).toEqual({ code: exitCodes.usage, asked: [] });
    expect(part.stderr).toContain('give the whole name');
    expect(part.stderr).toContain(`${idOf(3)}  Tidewell`);
    expect((await change('tidewell')).code).toBe(0);
    expect(new Set(asked)).toEqual(new Set([idOf(3)]));
  });

  it('is refused if no account has the name, and before any call if another value is wrong', async () => {
    const unknown = await services.run('accounts', 'show', 'nobody');
    expect(unknown).toMatchObject({
      code: exitCodes.notFound,
      stderr: expect.stringContaining('no supplier'),
    });
    const before = services.received.length;
    const wrong = await services.run('terms', 'schedule', 'tide', '--effective-from', 'tomorrow');
    expect(wrong).toMatchObject({
      code: exitCodes.usage,
      stderr: expect.stringContaining('--effective-from'),
    });
    expect(services.received).toHaveLength(before);
  });
});
