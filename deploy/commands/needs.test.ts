import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { needs } from './needs.mjs';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const run = (path: string, ...args: string[]) =>
  spawnSync(process.execPath, args, {
    cwd: CHECKOUT,
    encoding: 'utf8',
    env: { PATH: path, HOME: '/nowhere' },
  });
const BOOTSTRAP = 'deploy/commands/bootstrap.mjs';

describe('the machine’s requirements besides Node', () => {
  it('are listed by --help of npm run cluster', () => {
    const { stdout } = run('/nowhere', BOOTSTRAP, 'cluster', '--help');
    for (const { name, neededBy } of needs)
      expect([name, stdout.includes(`\n  ${name} `)]).toEqual([name, neededBy !== 'tests']);
  });

  it('are installed by .ci/run, from the names of missing packages, one per line', () => {
    const { stdout, status } = run('/nowhere', 'deploy/commands/needs.mjs');
    expect(status).toBe(0);
    const missing = stdout.trim().split('\n');
    // Programs that are looked up on PATH, which is empty here.
    expect(missing).toEqual(expect.arrayContaining(['podman', 'curl', 'python3', 'php-cli', 'zsh', 'fish']));
    expect(missing.filter((name) => !needs.some((need) => need.name === name))).toEqual([]);
    expect(readFileSync(join(CHECKOUT, '.ci/run'), 'utf8')).toContain('< <(node deploy/commands/needs.mjs)');
  });

  it('are checked before the set-up, and reported with the command that installs them', () => {
    const { stderr, stdout, status } = run('/nowhere', BOOTSTRAP, 'cluster');
    expect(status).toBe(1);
    expect(stdout).toBe('');
    if (process.platform !== 'linux' || process.getuid?.() !== 0) expect(stderr).toMatch(/^a node needs /);
    else {
      expect(stderr).toContain('missing: podman, which builds images\n');
      expect(stderr).toMatch(/^apt-get install .*podman/m);
    }
  });

  it('are preceded by a check of the flags, which names the help', () => {
    for (const command of [['start'], ['drill', 'faults', '--short', '--seed', '1']]) {
      const { stderr, status } = run('/nowhere', BOOTSTRAP, ...command, '--bogus=1');
      const advice = `see npm run ${command[0]} -- --help`;
      expect([status, stderr]).toEqual([64, `unknown flag --bogus=1: ${advice}\n`]);
    }
  });

  it('include only kubectl for an existing cluster', () => {
    const { stderr, status } = run('/nowhere', BOOTSTRAP, 'cluster', '--context', 'kind-leads');
    expect([status, stderr]).toEqual([1, 'missing: kubectl, which knows the cluster\n']);
  });
});
