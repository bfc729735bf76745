import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { AccountService, AccountState, type ListedAccountSchema } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ListPricesResponseSchema } from '@supplier/proto/billing/v1/prices';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';
import { sortedAnswer } from './list-shape.ts';

const id = (last: number) => `01998c1e-7d5c-7000-8000-00000000000${last}`;
const LONG = 'A broker with a name that is as long as a name of a broker can be';
const accounts: MessageInitShape<typeof ListedAccountSchema>[] = [
  { accountId: id(1), name: 'Sample', createdAt: { seconds: 30n } },
  { accountId: id(2), name: LONG, state: AccountState.SUSPENDED, createdAt: { seconds: 10n } },
  { accountId: id(3), name: 'Broker' },
];

let shell: FakeServices;
let created = 0;
beforeAll(async () => {
  shell = await startFakeServices((router) =>
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
        streamStatement: async function* () {
          yield { lines: [{ entryId: 'one' }] };
          yield { lines: [{ entryId: 'two' }] };
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
const names = async (...args: string[]) =>
  (await shell.run(...LIST, '-o', 'name', ...args)).stdout.split('\n');

describe('-o', () => {
  it.each([['json'], ['csv']])('%s prints the same as the flag of that name', async (form) => {
    const { code, stdout } = await shell.run(...LIST, '-o', form);
    expect(code).toBe(0);
    expect(stdout).toBe((await shell.run(...LIST, `--${form}`)).stdout);
    expect((await shell.run(...LIST, '-o', form, `--${form}`)).stdout).toBe(stdout);
  });

  it('csv begins with one byte order mark only with --bom, and never on a terminal', async () => {
    for (const list of [LIST, ['statements', 'lines', id(1), '2026-10'], ['contexts', 'list']]) {
      const plain = (await shell.run(...list, '--csv')).stdout;
      expect(plain).not.toContain('\ufeff');
      expect((await shell.run(...list, '--csv', '--bom')).stdout).toBe(`\ufeff${plain}`);
    }
    const before = shell.received.length;
    const { code, stderr } = await shell.runAs({ width: 80 }, ...LIST, '--csv', '--bom');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('redirect the output'),
    });
    expect(shell.received).toHaveLength(before);
  });

  it('name prints only ids, also for a single object and for a nested one', async () => {
    expect(await names()).toEqual([id(1), id(2), id(3), '']);
    expect((await shell.run('accounts', 'show', id(1), '-o', 'name')).stdout).toBe(`${id(1)}\n`);
    expect((await shell.run(...ISSUE, '-o', 'name')).stdout).toBe(`${id(7)}\n`);
  });

  it('wide does not truncate to the 80 columns of a terminal', async () => {
    const { stdout } = await shell.runAs({ width: 80 }, ...LIST);
    expect(stdout).toContain(id(2));
    expect(stdout).not.toContain(LONG);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect((await shell.runAs({ width: 80 }, ...LIST, '-o', 'wide')).stdout).toContain(LONG);
  });

  it('wide shows every column, as CSV does', async () => {
    const narrow = (await shell.run('prices', 'list', id(1))).stdout;
    const wide = (await shell.run('prices', 'list', id(1), '-o', 'wide')).stdout;
    expect(narrow).not.toContain('SET_AT');
    expect(wide).toContain('SET_AT');
    expect((await shell.run('prices', 'list', id(1), '--csv')).stdout).toContain(',set_at');
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
    const { stdout } = await shell.run(...LIST, '--json', '--sort-by', column);
    const listed = JSON.parse(stdout) as { accounts: { accountId: string }[] };
    expect(listed.accounts.map(({ accountId }) => accountId)).toEqual(order.map(id));
  });

  it('accepts the displayed name of an amount column', async () => {
    const { stdout } = await shell.run('prices', 'list', id(1), '--sort-by', 'amount');
    expect(stdout).toMatch(/\bAMOUNT\b.*\n.*£/);
    expect(stdout).not.toContain('PENCE');
  });

  it('sorts charges and credits of any size by their amounts', () => {
    const pence = [-1_000_00, -45_50, -9_00, -5, 0, 5, 9_00, 45_50, 1_000_00, 1_234_567_89];
    const answer = create(ListPricesResponseSchema, {
      prices: [...pence, undefined].toReversed().map((one) => ({ pence: one })) as { pence: number }[],
    });
    const sorted = sortedAnswer(ListPricesResponseSchema, answer, {}, 'pence') as typeof answer;
    expect(sorted.prices.map((price) => price.pence)).toEqual([
      ...pence.slice(0, 4),
      0,
      0,
      ...pence.slice(5),
    ]);
  });
});

it.each([
  [
    [...LIST, '--sort-by', 'size'],
    '--sort-by must be one of account_id, name, state, created_at, not "size"',
  ],
  [['accounts', 'show', id(1), '--sort-by', 'name'], 'its result is not a list'],
  [['statements', 'lines', id(1), '2026-10', '--sort-by', 'pence'], 'its result is not a list'],
  [['queues', '-o', 'name'], '`sss queues` does not support -o name'],
  [['whoami', '--sort-by', 'x'], '`sss whoami` does not support --sort-by'],
  [
    [
      'submissions',
      'decide',
      id(1),
      id(2),
      '--decision',
      'rejected',
      '--reason',
      'not traded',
      '--yes',
      '-o',
      'name',
    ],
    'does not support -o name',
  ],
  [[...LIST, '-o', 'csv', '--json'], 'give only one output format, not csv and json'],
  [[...ISSUE, '-o', 'name', '--get', 'bearer'], 'give either -o name or --get'],
  [[...LIST, '--bom'], '--bom requires --csv'],
  [[...LIST, '--bom', '--json'], '--bom requires --csv'],
  [[...LIST, '--bom', '--csv', '--get', 'accounts.0.name'], '--bom requires --csv'],
  [[...LIST, '--get', 'accounts.0.name', '--sort-by', 'name'], 'does not apply to --get'],
])('%j is refused before any call', async (args, message) => {
  const before = shell.received.length;
  const { code, stdout, stderr } = await shell.run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(shell.received).toHaveLength(before);
});

it('-o name is refused for a response without an id, before any call', async () => {
  const before = created;
  const price = ['prices', 'set', id(1), '--billing-model', 'accepted-submission', '--pence', '4500'];
  const { code, stderr } = await shell.run(...price, '--effective-from', '+7d', '-o', 'name');
  expect({ code, created, stderr }).toMatchObject({ code: 2, created: before });
  expect(stderr).toContain('has no id');
});
