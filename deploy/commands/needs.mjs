// What commands and tests need of the machine beside Node: one table, which `npm run cluster --help` prints, the command
// checks before anything else, and .ci/run installs from. Plain JavaScript: it is read before anything is installed.
// As a program: prints the Debian packages that are missing, one a line.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const isFile = (...paths) => paths.some((path) => existsSync(path));
const onPath = (name) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/local/go/bin'].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const hasPhpCurl = () => /^curl$/m.test(spawnSync('php', ['-m'], { encoding: 'utf8' }).stdout ?? '');

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
/** Whether programs that Go builds are there already, by the beginning of their names. */
const areBuilt = (...names) => {
  const found = existsSync(CACHE) ? readdirSync(CACHE).filter((name) => !name.endsWith('.lock')) : [];
  return names.every((name) => found.some((folder) => folder.startsWith(name)));
};

/**
 * `of` is what needs it: `node` a cluster of its own, `whole` its whole form, `tests` the tests. Each is a
 * package of Debian's.
 */
export const needs = [
  { name: 'podman', of: ['node', 'tests'], why: 'builds images', isThere: () => onPath('podman') },
  {
    name: 'debootstrap',
    of: ['node', 'tests'],
    why: 'makes what images start from',
    isThere: () => onPath('debootstrap'),
  },
  {
    name: 'containerd',
    of: ['node', 'tests'],
    why: 'runs pods',
    isThere: () => onPath('containerd') && onPath('ctr'),
  },
  { name: 'runc', of: ['node', 'tests'], why: 'runs containers', isThere: () => onPath('runc') },
  {
    name: 'containernetworking-plugins',
    of: ['node', 'tests'],
    why: 'connects pods',
    isThere: () => isFile('/usr/lib/cni/ptp'),
  },
  { name: 'iptables', of: ['node', 'tests'], why: 'carries out Services', isThere: () => onPath('iptables') },
  {
    name: 'conntrack',
    of: ['node', 'tests'],
    why: 'forgets connections to pods that are gone',
    isThere: () => onPath('conntrack'),
  },
  { name: 'iproute2', of: ['node', 'tests'], why: 'makes networks', isThere: () => onPath('ip') },
  {
    name: 'util-linux',
    of: ['node', 'tests'],
    why: 'makes namespaces',
    isThere: () => onPath('unshare') && onPath('setpriv'),
  },
  { name: 'prometheus', of: ['node', 'tests'], why: 'scrapes the pods', isThere: () => onPath('prometheus') },
  {
    name: 'chromium-headless-shell',
    of: ['node', 'tests'],
    why: 'opens the console and the pages',
    isThere: () => isFile('/usr/bin/chromium-headless-shell'),
  },
  {
    name: 'postgresql-client',
    of: ['whole', 'tests'],
    why: "makes an installation's databases",
    isThere: () => onPath('psql'),
  },
  {
    name: 'docker-registry',
    of: ['whole', 'tests'],
    why: 'takes a release, and gives it back',
    isThere: () => onPath('docker-registry'),
  },
  { name: 'clamav-daemon', of: ['tests'], why: 'scans documents', isThere: () => isFile('/usr/sbin/clamd') },
  {
    name: 'python3-swift',
    of: ['tests'],
    why: 'is an S3 store',
    isThere: () => isFile('/usr/lib/python3/dist-packages/swift'),
  },
  {
    name: 'python3-pastescript',
    of: ['tests'],
    why: 'starts that store',
    isThere: () => isFile('/usr/lib/python3/dist-packages/paste/script'),
  },
  { name: 'php-cli', of: ['tests'], why: 'runs a published verifier', isThere: () => onPath('php') },
  { name: 'php-curl', of: ['tests'], why: 'is what that verifier calls with', isThere: hasPhpCurl },
  { name: 'mono-mcs', of: ['tests'], why: 'compiles a published verifier', isThere: () => onPath('mcs') },
  { name: 'mono-runtime', of: ['tests'], why: 'runs that verifier', isThere: () => onPath('mono') },
  {
    name: 'libmono-system-web-extensions4.0-cil',
    of: ['tests'],
    why: 'reads JSON for it',
    isThere: () => isFile('/usr/lib/mono/gac/System.Web.Extensions'),
  },
  { name: 'python3-pip', of: ['tests'], why: 'installs generated clients', isThere: () => onPath('pip3') },
  {
    name: 'default-jdk-headless',
    of: ['tests'],
    why: 'compiles generated clients',
    isThere: () => onPath('javac'),
  },
  { name: 'maven', of: ['tests'], why: 'builds generated clients', isThere: () => onPath('mvn') },
  { name: 'zsh', of: ['tests'], why: 'completes commands', isThere: () => onPath('zsh') },
  { name: 'fish', of: ['tests'], why: 'completes commands', isThere: () => onPath('fish') },
];

/** Not of Debian: what builds Helm and Kubernetes at the first time. */
export const go = {
  name: 'Go',
  why: 'builds Helm and Kubernetes at the first time (https://go.dev/doc/install)',
  isThere: () => onPath('go') || areBuilt('helm-3', 'helm-4', 'kubernetes-'),
};

const missingOf = (...of) =>
  needs.filter((need) => need.of.some((one) => of.includes(one)) && !need.isThere());

/** Why `npm run cluster` cannot start with these arguments, a line for each thing that is missing; undefined where it can. */
export function lacksForCluster(args) {
  if (args.some((arg) => arg === '--context' || arg.startsWith('--context=')))
    return onPath('kubectl') ? undefined : 'missing: kubectl, which knows the cluster';
  if (process.platform !== 'linux')
    return `a node needs Linux, and this is ${process.platform}; or name a cluster with --context`;
  if (process.getuid?.() !== 0)
    return 'a node needs root, for networks and mounts of its own; or name a cluster with --context';
  const missing = missingOf('node', ...(args.includes('--short') ? [] : ['whole']));
  const all = go.isThere() ? missing : [...missing, go];
  if (all.length === 0) return undefined;
  const packages = missing.length > 0 ? [`apt-get install ${missing.map(({ name }) => name).join(' ')}`] : [];
  return [...all.map(({ name, why }) => `missing: ${name}, which ${why}`), ...packages].join('\n');
}

/** The table, as help prints it. */
export const describeClusterNeeds = () =>
  [...needs.filter(({ of }) => of.includes('node') || of.includes('whole')), { ...go, of: ['node'] }]
    .map(
      ({ name, why, of }) => `  ${name.padEnd(28)} ${why}${of.includes('node') ? '' : '; not with --short'}`,
    )
    .join('\n');

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  for (const { name } of missingOf('node', 'whole', 'tests')) console.log(name);
