import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountService } from '@supplier/proto/account/v1/account';
import { type PlayedCluster, playCluster } from '../../testing/played-cluster.ts';
import { tokenOf } from '../../testing/played-services.ts';
import { runSss } from '../../testing/run-sss.ts';
import { readStoredToken, storeToken } from '../where/token-store.ts';

const HOST = 'account.staging.example';
let cluster: PlayedCluster;
beforeAll(async () => {
  cluster = await playCluster(HOST, (router) => {
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
    expect(added).toMatchObject({ code: 0, noted: 'added the context staging, which is the current one' });
    const { code, said, noted } = await sss('accounts', 'list', '--csv');
    expect({ code, noted }).toEqual({ code: 0, noted: '' });
    expect(said).toContain('Sample Brokers');
    expect(cluster.askedFor.at(-1)).toBe(HOST);
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
    const { said } = await sss('whoami');
    expect(said).toContain(`account     ${address()}\n`);
    expect(said).toContain('billing     https://billing.staging.example:8443\n');
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

  it('can be selected, listed and removed together with its token', async () => {
    await sss('contexts', 'add', 'staging', ...trusted());
    await sss('contexts', 'add', 'kind', '--kube', 'kind-leads/money');
    expect((await sss('contexts', 'use', 'kind')).code).toBe(0);
    expect((await sss('contexts', 'list', '--csv')).said).toBe(
      `context,current,reaches\r\nstaging,no,${address()}\r\nkind,yes,leads in kind-leads/money\r\n`,
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
    ['without its authority', () => [...trusted().slice(0, 4), ...shown()], '--ca of `sss contexts add`'],
    [
      'under another name',
      () => [...trusted(), ...shown(), '--tls-server-name', 'other'],
      '--tls-server-name of',
    ],
    ['without a client certificate', () => trusted(), '--client-certificate and --client-key of'],
  ])('fails with a hint how to fix it %s', async (_, flags, hint) => {
    await sss('contexts', 'add', 'staging', ...flags());
    const { code, noted } = await sss('accounts', 'list');
    expect(`${code}: ${noted}`).toMatch(
      /^6: the account service at https:\/\/127.0.0.1:\d+ is not available: /,
    );
    expect(noted).toContain(hint);
  });

  it('is refused when the service has no address', async () => {
    await sss('contexts', 'add', 'staging', '--service', 'billing', '--url', 'https://billing.example');
    const { code, noted } = await sss('accounts', 'list');
    expect(code).toBe(2);
    expect(noted).toContain('staging has no address of the account service: `sss contexts add staging');
  });
});

it.each([
  [['add', 'Staging', '--url', 'https://x.example'], '"Staging" is no name of a context'],
  [['add', 'staging'], '--url is missing, or --kube CONTEXT/NAMESPACE'],
  [['add', 'staging', '--url', 'staging.example'], 'url: Invalid URL'],
  [['add', 'staging', '--url', 'http://staging.example'], 'has no TLS'],
  [['add', 'staging', '--url', 'https://x.example', '--ca', '/nowhere.pem'], '/nowhere.pem cannot be read'],
  [['add', 'staging', '--url', 'https://x.example', '--login-scope', 'a'], 'give the one that is missing'],
  [['use', 'staging'], 'there is no context "staging"'],
  [['remove', 'staging'], 'known are none'],
])('refuses contexts %j, and writes nothing', async (args, message) => {
  const { code, noted } = await sss('contexts', ...args);
  expect(code).toBe(2);
  expect(noted).toContain(message);
  expect(config).toThrow('ENOENT');
});

it('refuses a client certificate without its key', async () => {
  const { code, noted } = await sss('contexts', 'add', 'staging', ...trusted(), ...shown().slice(0, 2));
  expect({ code, noted }).toEqual({
    code: 2,
    noted: expect.stringContaining('a client certificate without its key'),
  });
});

it('leaves an unreadable configuration unchanged', async () => {
  writeFileSync(join(folder, 'config.json'), '{');
  expect((await sss('contexts', 'add', 'staging', ...trusted())).code).toBe(2);
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe('{');
});
