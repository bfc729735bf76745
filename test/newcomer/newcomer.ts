/**
 * Runs the README's two commands as an ordinary user of a Debian that has nothing but the oldest Node, and copies the
 * results of the tests to .run/newcomer-results. Exits with 0 if both succeed, and without root outside of CI.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { addNode, debianIn, imageCache } from '../../deploy/images/base-images.ts';
import { registrySettings } from './registry-settings.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEBIAN = join(ROOT, '.run/newcomer');
const RESULTS = join(ROOT, '.run/newcomer-results');

/** The oldest Node that the README names, with the npm that came with it. */
const NODE = `node-linux-${process.arch}@20.2.0`;
const NPM = 'npm@9.6.6';

const USER = '1000:1000';
const HOME = '/home/newcomer';
const CHECKOUT = `${HOME}/supplier-submissions`;

const COMMANDS = ['npm start -- --once', 'npm test -- --repeat-failed'];

/** Mounts and processes end with their namespaces. */
const NAMESPACES = ['unshare', '--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--'];
/** Remains the first process, which reaps orphans. */
const FIRST = `
set -e
mount -t proc proc "$0/proc"
mount -t tmpfs -o mode=755 tmpfs "$0/dev"
for device in null zero full random urandom tty; do
  : >"$0/dev/$device"
  mount --bind "/dev/$device" "$0/dev/$device"
done
ln -s /proc/self/fd "$0/dev/fd"
mkdir -m 1777 "$0/dev/shm"
/usr/sbin/chroot --userspec=${USER} "$0" sh -c "$1"
exit`;

process.exitCode = await tryCommands();

async function tryCommands(): Promise<number> {
  rmSync(RESULTS, { recursive: true, force: true });
  if (process.getuid?.() !== 0 && process.env.CI !== 'true') {
    console.log('not tried as a newcomer, which needs root: all tests run on this machine');
    return 0;
  }
  try {
    const env = makeDebian();
    for (const command of COMMANDS) {
      const code = await inDebian(command, env);
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    const results = join(DEBIAN, CHECKOUT, '.run/test-results');
    if (existsSync(results)) cpSync(results, RESULTS, { recursive: true });
    // Processes that were killed may still be ending.
    rmSync(DEBIAN, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Makes the Debian with a copy of this checkout. Returns its user's environment. */
function makeDebian(): NodeJS.ProcessEnv {
  rmSync(DEBIAN, { recursive: true, force: true });
  mkdirSync(imageCache(), { recursive: true });
  execFileSync('cp', ['--archive', debianIn(imageCache()), DEBIAN]);
  chmodSync(DEBIAN, 0o755);
  installNode();
  const { env, npmrc, files } = registrySettings();
  for (const path of [...files, '/etc/resolv.conf', '/etc/hosts']) copy(path);
  appendFileSync(join(DEBIAN, 'etc/passwd'), `newcomer:x:${USER}::${HOME}:/bin/sh\n`);
  for (const path of sources()) cpSync(join(ROOT, path), join(DEBIAN, CHECKOUT, path));
  writeFileSync(join(DEBIAN, HOME, '.npmrc'), npmrc);
  execFileSync('chown', ['--recursive', USER, join(DEBIAN, HOME)]);
  return { ...env, PATH: '/usr/bin:/bin', HOME };
}

function installNode(): void {
  const folder = join(DEBIAN, 'var/tmp/node');
  mkdirSync(folder);
  const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...flags, NODE, NPM], { stdio: ['ignore', 'ignore', 'inherit'] });
  const modules = join(folder, 'node_modules');
  addNode(DEBIAN, join(modules, `node-linux-${process.arch}/bin/node`), join(modules, 'npm'));
  rmSync(folder, { recursive: true });
}

function sources(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return paths.filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

/** Copies a file of this machine to the same place. */
function copy(path: string): void {
  const to = join(DEBIAN, path);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(realpathSync(path), to);
  chmodSync(to, 0o644);
}

function inDebian(command: string, env: NodeJS.ProcessEnv): Promise<number> {
  console.log(`\nas a newcomer: ${command}`);
  const start = Date.now();
  const inside = ['sh', '-c', FIRST, DEBIAN, `cd ${CHECKOUT} && ${command}`];
  return new Promise((resolve, reject) => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...NAMESPACES, ...inside], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const end = () => child.kill('SIGKILL');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    child.once('error', reject);
    child.once('exit', (code) => {
      const seconds = Math.round((Date.now() - start) / 1000);
      console.log(`as a newcomer: ${command}: exit code ${code ?? 1} after ${seconds} s`);
      resolve(code ?? 1);
    });
  });
}
