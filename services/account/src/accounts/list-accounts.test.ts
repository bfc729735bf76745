import { forAllTests, refused } from '@supplier/lib/testing';
import { AccountState } from '@supplier/proto/account/v1/account';
import { NEW_ACCOUNT } from '../../testing/account-requests.ts';
import { openTestService, type TestService } from '../../testing/test-service.ts';

let admin: ReturnType<TestService['as']>;
let viewer: ReturnType<TestService['as']>;
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  [admin, viewer] = [service.as('ada', 'staff:admin'), service.as('vic', 'staff:viewer')];
});
beforeEach(() => service.pool.query('TRUNCATE account CASCADE'));

const create = async (name: string) => (await admin.createAccount({ ...NEW_ACCOUNT, name })).accountId;
const namesOf = async (request: Parameters<typeof viewer.listAccounts>[0]) =>
  (await viewer.listAccounts(request)).accounts.map(({ name }) => name);

describe('ListAccounts', () => {
  it('lists accounts, newest first, with id, name, state and creation time', async () => {
    await create('First');
    const accountId = await create('Second');
    const { accounts, nextPageToken } = await viewer.listAccounts({});
    expect(accounts.map(({ name }) => name)).toEqual(['Second', 'First']);
    const { createdAt } = await service.db.account.findUniqueOrThrow({ where: { id: accountId } });
    expect(accounts[0]).toMatchObject({ accountId, state: AccountState.ACTIVE });
    expect(Number(accounts[0]?.createdAt?.seconds)).toBe(Math.floor(createdAt.getTime() / 1_000));
    expect(nextPageToken).toBe('');
  });

  it('filters by state and by any part of a name, case-insensitively and without wildcards', async () => {
    for (const name of ['Örtlich & Söhne', 'Percent 100% Ltd', 'Percent 1000 Ltd']) await create(name);
    await service.pool.query(`UPDATE account SET state = 'suspended' WHERE name LIKE '%1000%'`);
    expect(await namesOf({ nameContains: 'ÖRTLICH' })).toEqual(['Örtlich & Söhne']);
    expect(await namesOf({ nameContains: '100%' })).toEqual(['Percent 100% Ltd']);
    expect(await namesOf({ nameContains: '_' })).toEqual([]);
    expect(await namesOf({ state: AccountState.SUSPENDED })).toEqual(['Percent 1000 Ltd']);
    expect(await namesOf({ state: AccountState.ACTIVE, nameContains: 'percent' })).toEqual([
      'Percent 100% Ltd',
    ]);
  });

  it('returns pages without gaps or repeats while accounts are created, and continues past a page without matches', async () => {
    await create('needle');
    const { rows } = await service.pool.query<{ id: string }>('SELECT id FROM account');
    await service.pool.query(
      `INSERT INTO account SELECT (jsonb_populate_record(t, jsonb_build_object('id', overlay(gen_random_uuid()::text
         PLACING left(event_id_floor(now() + interval '1 day' + n * interval '1 s')::text, 13) FROM 1), 'name', 'hay ' || n))).*
         FROM account t, generate_series(1, 5001) n WHERE id = $1`,
      [rows[0]?.id],
    );
    const seen: string[] = [];
    let pageToken = '';
    for (let page = 0; page < 3; page += 1) {
      const answer = await viewer.listAccounts({ nameContains: 'HAY 50', pageSize: 2, pageToken });
      seen.push(...answer.accounts.map(({ name }) => name));
      pageToken = answer.nextPageToken;
      await create('hay 50 more');
    }
    expect(seen).toEqual([5001, 5000, 509, 508, 507, 506].map((n) => `hay ${n}`));
    const empty = await viewer.listAccounts({ nameContains: 'needle' });
    expect([empty.accounts, empty.nextPageToken === '']).toEqual([[], false]);
    const found = await viewer.listAccounts({ nameContains: 'needle', pageToken: empty.nextPageToken });
    expect(found.accounts.map(({ name }) => name)).toEqual(['needle']);
    expect(found.nextPageToken).toBe('');
  });

  it.each([
    ['page_size', { pageSize: 201 }],
    ['page_token', { pageToken: 'x' }],
    ['name_contains', { nameContains: '' }],
    ['state', { state: 99 as AccountState }],
  ])('rejects an invalid %s', async (path, request) => {
    expect(await refused(viewer.listAccounts(request))).toMatchObject({
      code: 'InvalidArgument',
      paths: [path],
    });
  });

  it('rejects a page token of another query', async () => {
    for (const name of ['a', 'b']) await create(name);
    const { nextPageToken: pageToken } = await viewer.listAccounts({ pageSize: 1 });
    const other = refused(viewer.listAccounts({ nameContains: 'a', pageToken }));
    expect(await other).toMatchObject({ paths: ['page_token'] });
  });
});
