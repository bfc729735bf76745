import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AccountService } from '@supplier/proto/account/v1/account';
import { type FakeCluster, startFakeCluster } from '../../services/staff-cli/testing/fake-cluster.ts';
import { type FakeKubectl, fakeKubectl } from '../../services/staff-cli/testing/fake-kubectl.ts';
import { type Packed, pack } from './pack.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'sss-package-'));
/** A user's installation folder, outside any checkout. */
const prefix = join(folder, 'stranger');

const ID = '01998c1e-7d5c-7000-8000-000000000001';
const TOKEN = `${btoa('{"alg":"none"}')}.${btoa('{"sub":"sam"}')}.`.replaceAll('=', '');

let packed: Packed;
let kubectl: FakeKubectl;
let cluster: FakeCluster;
beforeAll(async () => {
  kubectl = fakeKubectl();
  cluster = await startFakeCluster('leads-supplier-submissions-account.money.svc', (router) => {
    router.service(AccountService, { listAccounts: () => ({ accounts: [{ accountId: ID }] }) });
  });
  packed = await pack(CHECKOUT, folder);
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, packed.file];
  execFileSync('npm', args, { cwd: folder, stdio: 'pipe' });
});

afterAll(async () => {
  kubectl.remove();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The project's Node, and the machine's if it is different. */
const nodes = [...new Set([process.execPath, ...nodesOnPath()].map((path) => realpathSync(path)))].map(
  (path) => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), path] as const,
);

function nodesOnPath(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return folders.map((path) => join(path, 'node')).filter((path) => existsSync(path));
}

describe.each(nodes)('installed, with Node %s', (_, node) => {
  function sss(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const program = join(prefix, 'node_modules/.bin/sss');
    const options = { cwd: prefix, encoding: 'utf8', env: { HOME: prefix, ...env } } as const;
    const { status, stdout, stderr } = spawnSync(node, [program, ...args], options);
    return { status, stdout, stderr };
  }

  it('prints its version and its revision', () => {
    const { status, stdout } = sss(['--version']);
    expect(stdout).toMatch(new RegExp(`^${packed.version} \\((?:[0-9a-f]{40}|unknown)\\)\n$`));
    expect(status).toBe(0);
  });

  it('suggests `sss contexts add` without a configured environment and without a checkout', () => {
    const { status, stderr } = sss(['accounts', 'list']);
    expect(stderr).toContain(
      'no context is configured: add one with `sss contexts add NAME --url https://…`',
    );
    expect(stderr).not.toContain('npm start');
    expect(status).toBe(2);
  });

  it('calls a service of a cluster', async () => {
    kubectl.setBehaviour({ forwardTo: cluster.port });
    const env = { PATH: process.env.PATH, HOME: prefix, SSS_TOKEN: TOKEN };
    const place = [
      '--kube',
      'kind/money',
      '--ca',
      'ca.pem',
      '--client-certificate',
      'me.pem',
      '--client-key',
      'me-key.pem',
    ];
    const sssAt = (...args: string[]) =>
      promisify(execFile)(node, [join(prefix, 'node_modules/.bin/sss'), ...args], {
        cwd: cluster.folder,
        env,
      });
    await sssAt('contexts', 'add', 'money', ...place);
    const { stdout, stderr } = await sssAt('accounts', 'list', '-o', 'name');
    expect({ stdout, stderr }).toEqual({ stdout: `${ID}\n`, stderr: '' });
    await sssAt('contexts', 'remove', 'money');
  });

  it('prepares an installation', () => {
    const prepare = (...args: string[]) =>
      spawnSync(node, [join(prefix, 'node_modules/.bin/sss-prepare'), ...args], {
        ...{ cwd: prefix, encoding: 'utf8', env: { HOME: prefix } },
      });
    expect(prepare('--help').stdout).toMatch(/^sss-prepare COMMAND/);
    const to = mkdtempSync(join(folder, 'prepared-'));
    const { status, stderr } = prepare('write', '--to', to, '--certificates');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(to).toSorted()).toEqual([
      ...['databases.sql', 'nats-users.conf', 'prepared.json', 'secrets.yaml', 'values.yaml'],
    ]);
    expect(prepare('wrong').stderr).toContain('see sss-prepare --help');
  });
});

it('the installed package starts directly as sss', () => {
  const env = { PATH: process.env.PATH, HOME: prefix };
  const { status } = spawnSync(join(prefix, 'node_modules/.bin/sss'), ['--version'], { env });
  expect(status).toBe(0);
});

it('the package has no dependencies, and states the required Node version and its contents', () => {
  const inside = join(prefix, 'node_modules/@supplier/sss');
  const manifest = JSON.parse(readFileSync(join(inside, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    name: '@supplier/sss',
    bin: { sss: 'sss.mjs', 'sss-prepare': 'sss-prepare.mjs' },
    engines: { node: '>=20' },
  });
  expect(manifest).not.toHaveProperty('dependencies');
  expect(readFileSync(join(inside, 'THIRD-PARTY-LICENSES'), 'utf8')).toMatch(/^commander@\d/m);
  expect(readFileSync(join(inside, 'sbom.cdx.json'), 'utf8')).toContain('pkg:npm/commander@');
  for (const file of ['README.md', 'MANUAL.md']) expect(existsSync(join(inside, file))).toBe(true);
});

it.each(['sss', 'sss-prepare'])('%s uses only features of Node 20', (name) => {
  const program = readFileSync(join(prefix, `node_modules/@supplier/sss/${name}.mjs`), 'utf8');
  const later =
    /\b(?:Promise\.(?:withResolvers|try)|(?:Object|Map)\.groupBy|Array\.fromAsync|Error\.isError|RegExp\.escape)\b/g;
  expect(program.match(later)).toBeNull();
});

it('the package is byte-identical when it is packed again', async () => {
  const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const first = digest(packed.file);
  expect(digest((await pack(CHECKOUT, join(folder, 'again'))).file)).toBe(first);
});
