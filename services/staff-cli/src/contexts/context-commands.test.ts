import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountService } from '@supplier/proto/account/v1/account';
import { type FakeCluster, startFakeCluster } from '../../testing/fake-cluster.ts';
import { tokenOf } from '../../testing/fake-services.ts';
import { runSss } from '../../testing/run-sss.ts';
import { readStoredToken, storeToken } from '../connection/token-store.ts';

const HOST = 'account.staging.example';
let cluster: FakeCluster;
beforeAll(async () => {
  cluster = await startFakeCluster(HOST, (router) => {
    router.service(AccountService, { listAccounts: () => ({ accounts: [{ name: 'Sample Brokers' }] }) });
  });
});
afterAll(() => cluster.close());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sss-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sss = (...args: string[]) => runSss({ folder, token: tokenOf('sam') }, args);
const config = () => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
const pem = (name: string) => join(cluster.folder, name);
const address = () => `https://127.0.0.1:${cluster.port}`;
const trusted = () => [
  '--url',
  address(),
  '--tls-server-name',
  '{service}.staging.example',
  '--ca',
  pem('ca.pem'),
];
const shown = () => ['--client-certificate', pem('me.pem'), '--client-key', pem('me-key.pem')];

describe('an added context', () => {
  it('is used for calls, with its server name and certificates', async () => {
    const added = await sss('contexts', 'add', 'staging', ...trusted(), ...shown());
    expect(added).toMatchObject({ code: 0, stderr: 'added context staging (current)' });
    const { code, stdout, stderr } = await sss('accounts', 'list', '--csv');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Sample Brokers');
    expect(cluster.serverNames.at(-1)).toBe(HOST);
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
  });

  it('keeps settings that are not given again, and overrides for one service', async () => {
    await sss(
      'contexts',
      'add',
      'staging',
      '--url',
      'https://{service}.staging.example:8443',
      '--ca',
      pem('ca.pem'),
    );
    await sss('contexts', 'add', 'staging', '--service', 'account', '--url', address(), ...shown());
    await sss('contexts', 'add', 'staging', '--service', 'account', '--tls-server-name', HOST);
    expect((await sss('accounts', 'list')).code).toBe(0);
    const { stdout } = await sss('whoami');
    expect(stdout).toContain(`account     ${address()}\n`);
    expect(stdout).toContain('billing     https://billing.staging.example:8443\n');
  });

  it('stores the login settings', async () => {
    const issuer = ['--login-issuer', 'https://id.example/realms/staff', '--login-client-id', 'sss'];
    await sss('contexts', 'add', 'staging', ...trusted(), ...issuer);
    await sss('contexts', 'add', 'staging', '--login-scope', 'openid');
    expect(config().contexts.staging.login).toEqual({
      issuer: 'https://id.example/realms/staff',
      clientId: 'sss',
      scope: 'openid',
    });
  });

  it.each([
    ['--login-issuer', 'issuer', 'https://other.example'],
    ['--login-client-id', 'clientId', 'other'],
    ['--login-scope', 'scope', 'other'],
    ['--login-audience', 'audience', 'other'],
    ['--url', undefined, 'https://other.example'],
  ])('keeps every other setting of the login when %s changes', async (flag, name, value) => {
    const login = { issuer: 'https://id.example', clientId: 'sss', scope: 'openid', audience: 'staff' };
    const flags = { '--login-issuer': login.issuer, '--login-client-id': login.clientId };
    const more = { '--login-scope': login.scope, '--login-audience': login.audience };
    await sss('contexts', 'add', 'staging', ...trusted(), ...Object.entries({ ...flags, ...more }).flat());
    await sss('contexts', 'add', 'staging', flag, value);
    expect(config().contexts.staging.login).toEqual({ ...login, ...(name && { [name]: value }) });
  });

  it.each([
    ['--url', 'https://jo:secret@account.example'],
    ['--url', 'https://jo@{service}.example:8443'],
    ['--url', 'https://:secret@account.example'],
    ['--login-issuer', 'https://jo:secret@id.example'],
  ])('is refused with a user name or a password in %s %s, and stores nothing', async (flag, value) => {
    const issuer = flag === '--login-issuer' ? [...trusted(), '--login-client-id', 'sss'] : [];
    for (const service of flag === '--url' ? [[], ['--service', 'account']] : [[]]) {
      if (service.length > 0 && value.includes('{service}')) continue;
      const { code, stderr } = await sss('contexts', 'add', 'staging', ...issuer, ...service, flag, value);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('user name or a password'),
      });
      expect(stderr).not.toContain('secret');
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('has a token that only its owner can read, even in a folder that others can', () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'tokens'), { mode: 0o755 });
    storeToken(folder, 'staging', 'token');
    expect(statSync(join(folder, 'tokens', 'staging')).mode & 0o777).toBe(0o600);
    storeToken(folder, 'staging', 'another');
    expect(statSync(join(folder, 'tokens', 'staging')).mode & 0o777).toBe(0o600);
    const anew = join(folder, 'anew');
    storeToken(anew, 'staging', 'token');
    expect(statSync(join(anew, 'tokens')).mode & 0o777).toBe(0o700);
  });

  it('can be selected, listed and removed together with its token', async () => {
    await sss('contexts', 'add', 'staging', ...trusted());
    await sss('contexts', 'add', 'kind', '--kube', 'kind-leads/money');
    expect((await sss('contexts', 'use', 'kind')).code).toBe(0);
    expect((await sss('contexts', 'list', '--csv')).stdout).toBe(
      `context,current,address\r\nstaging,no,${address()}\r\nkind,yes,leads in kind-leads/money\r\n`,
    );
    storeToken(folder, 'kind', 'token');
    expect((await sss('contexts', 'remove', 'kind')).code).toBe(0);
    expect(readStoredToken(folder, 'kind')).toBeUndefined();
    expect(config()).not.toHaveProperty('current');
    expect(Object.keys(config().contexts)).toEqual(['staging']);
  });
});

describe('a connection to a service', () => {
  it.each([
    ['without its authority', () => [...trusted().slice(0, 4), ...shown()], '`sss contexts add --ca`'],
    [
      'under another name',
      () => [...trusted(), ...shown(), '--tls-server-name', 'other'],
      '`sss contexts add --tls-server-name`',
    ],
    ['without a client certificate', () => trusted(), '--client-certificate --client-key'],
  ])('fails with a hint on how to fix it %s', async (_, flags, hint) => {
    await sss('contexts', 'add', 'staging', ...flags());
    const { code, stderr } = await sss('accounts', 'list');
    expect(`${code}: ${stderr}`).toMatch(
      /^6: the account service at https:\/\/127.0.0.1:\d+ is not available: /,
    );
    expect(stderr).toContain(hint);
  });

  it('is refused when the service has no address', async () => {
    await sss('contexts', 'add', 'staging', '--service', 'billing', '--url', 'https://billing.example');
    const { code, stderr } = await sss('accounts', 'list');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'staging has no address for the account service: set it with `sss contexts add staging',
    );
  });
});

it.each([
  [['add', 'Staging', '--url', 'https://x.example'], 'invalid context name "Staging"'],
  [['add', 'staging'], 'give --url, or --kube CONTEXT/NAMESPACE'],
  [['add', 'staging', '--url', 'staging.example'], 'url: Invalid URL'],
  [['add', 'staging', '--url', 'http://staging.example'], 'must use https'],
  [['add', 'staging', '--url', 'https://x.example', '--ca', '/nowhere.pem'], 'cannot read /nowhere.pem'],
  [
    ['add', 'staging', '--url', 'https://x.example', '--login-scope', 'a'],
    'requires both --login-issuer and --login-client-id',
  ],
  [['use', 'staging'], 'unknown context "staging"'],
  [['remove', 'staging'], 'contexts: none'],
])('sss contexts refuses %j, and writes nothing', async (args, message) => {
  const { code, stderr } = await sss('contexts', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(config).toThrow('ENOENT');
});

it('sss contexts refuses a client certificate without its key', async () => {
  const { code, stderr } = await sss('contexts', 'add', 'staging', ...trusted(), ...shown().slice(0, 2));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('a client certificate without its key'),
  });
});

it('sss contexts leaves an unreadable configuration unchanged', async () => {
  writeFileSync(join(folder, 'config.json'), '{');
  expect((await sss('contexts', 'add', 'staging', ...trusted())).code).toBe(2);
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe('{');
});
