import type { MessageInitShape } from '@bufbuild/protobuf';
import { AccountService, AccountState, type ListedAccountSchema } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { type PlayedServices, playServices } from '../../testing/played-services.ts';

const id = (last: number) => `01998c1e-7d5c-7000-8000-00000000000${last}`;
const LONG = 'A broker with a name that is as long as a name of a broker can be';
const accounts: MessageInitShape<typeof ListedAccountSchema>[] = [
  { accountId: id(1), name: 'Sample', createdAt: { seconds: 30n } },
  { accountId: id(2), name: LONG, state: AccountState.SUSPENDED, createdAt: { seconds: 10n } },
  { accountId: id(3), name: 'Broker' },
];

let shell: PlayedServices;
let created = 0;
beforeAll(async () => {
  shell = await playServices((router) =>
    router
      .service(AccountService, {
        listAccounts: () => ({ accounts }),
        getAccount: () => ({ accountId: id(1) }),
        issueCredential: () => {
          created += 1;
          return { credential: { credentialId: id(7) }, bearer: 'secret' };
        },
      })
      .service(BillingService, {
        setPrice: () => {
          created += 1;
          return {};
        },
        listPrices: () => ({
          prices: [
            { billingModel: BillingModel.APPLICATION_CREATED, pence: 1_000_00 },
            { billingModel: BillingModel.ACCEPTED_SUBMISSION, pence: 99_00 },
          ],
        }),
      }),
  );
});
afterAll(() => shell.close());

const LIST = ['accounts', 'list'];
const ISSUE = ['credentials', 'issue', id(1), '--environment', 'sandbox', '--scopes', 'read'];
const names = async (...args: string[]) => (await shell.run(...LIST, '-o', 'name', ...args)).said.split('\n');

describe('-o', () => {
  it.each([['json'], ['csv']])('%s prints the same as the flag of that name', async (form) => {
    const { code, said } = await shell.run(...LIST, '-o', form);
    expect(code).toBe(0);
    expect(said).toBe((await shell.run(...LIST, `--${form}`)).said);
    expect((await shell.run(...LIST, '-o', form, `--${form}`)).said).toBe(said);
  });

  it('name prints only ids, also for a single object and for a nested one', async () => {
    expect(await names()).toEqual([id(1), id(2), id(3), '']);
    expect((await shell.run('accounts', 'show', id(1), '-o', 'name')).said).toBe(`${id(1)}\n`);
    expect((await shell.run(...ISSUE, '-o', 'name')).said).toBe(`${id(7)}\n`);
  });

  it('wide does not truncate to the 80 columns of a terminal', async () => {
    const { said } = await shell.runAs({ width: 80 }, ...LIST);
    expect(said).toContain(id(2));
    expect(said).not.toContain(LONG);
    expect(said.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect((await shell.runAs({ width: 80 }, ...LIST, '-o', 'wide')).said).toContain(LONG);
  });

  it('wide shows every column, as CSV does', async () => {
    const narrow = (await shell.run('prices', 'list', id(1))).said;
    const wide = (await shell.run('prices', 'list', id(1), '-o', 'wide')).said;
    expect(narrow).not.toContain('SET_AT');
    expect(wide).toContain('SET_AT');
    expect((await shell.run('prices', 'list', id(1), '--csv')).said).toContain(',set_at');
  });
});

describe('--sort-by', () => {
  it.each([
    ['name', [2, 3, 1]],
    // Rows without a time come last.
    ['created_at', [2, 1, 3]],
    ['CREATED-AT', [2, 1, 3]],
  ])('%s sorts the list', async (column, order) => {
    expect(await names('--sort-by', column)).toEqual([...order.map(id), '']);
    const { said } = await shell.run(...LIST, '--json', '--sort-by', column);
    const listed = JSON.parse(said) as { accounts: { accountId: string }[] };
    expect(listed.accounts.map(({ accountId }) => accountId)).toEqual(order.map(id));
  });

  it('accepts the displayed name of an amount column', async () => {
    const { said } = await shell.run('prices', 'list', id(1), '--sort-by', 'amount');
    expect(said).toMatch(/\bAMOUNT\b.*\n.*£/);
    expect(said).not.toContain('PENCE');
  });

  it('sorts amounts as numbers', async () => {
    const { said } = await shell.run('prices', 'list', id(1), '--sort-by', 'pence', '--csv');
    expect(said.indexOf('accepted_submission')).toBeLessThan(said.indexOf('application_created'));
  });
});

it.each([
  [
    [...LIST, '--sort-by', 'size'],
    '--sort-by takes one of account_id, name, state, created_at, and not "size"',
  ],
  [['accounts', 'show', id(1), '--sort-by', 'name'], 'answers with no list'],
  [['statements', 'lines', id(1), '2026-10', '--sort-by', 'pence'], 'answers with no list'],
  [['queues', '-o', 'name'], '`sss queues` is no list of one kind, and has no -o name'],
  [['whoami', '--sort-by', 'x'], '`sss whoami` is no list of one kind, and has no --sort-by'],
  [
    ['submissions', 'decide', id(1), id(2), '--decision', 'rejected', '--reason', 'x', '--yes', '-o', 'name'],
    'no -o',
  ],
  [[...LIST, '-o', 'csv', '--json'], 'csv and json are forms of one answer'],
  [[...ISSUE, '-o', 'name', '--get', 'bearer'], '-o name and --get are two ways'],
  [[...LIST, '--get', 'accounts.0.name', '--sort-by', 'name'], 'there is nothing to sort'],
])('%j is refused before any call', async (args, message) => {
  const before = shell.asked.length;
  const { code, said, noted } = await shell.run(...args);
  expect({ code, said }).toEqual({ code: 2, said: '' });
  expect(noted).toContain(message);
  expect(shell.asked).toHaveLength(before);
});

it('refuses -o name for an answer without an id, before any call', async () => {
  const before = created;
  const price = ['prices', 'set', id(1), '--billing-model', 'accepted-submission', '--pence', '4500'];
  const { code, noted } = await shell.run(...price, '--effective-from', '+7d', '-o', 'name');
  expect({ code, created, noted }).toMatchObject({ code: 2, created: before });
  expect(noted).toContain('has no id');
});
