// What commands and tests need besides Node. `npm run cluster --help` prints this table, the command checks it first,
// and .ci/run installs from it. Plain JavaScript, because it is read before anything is installed. As a program, it
// prints the missing Debian packages, one per line.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findOnPath, GO_FOLDER } from '../programs/on-path.mjs';

const onPath = (name) => findOnPath(name, ['/usr/sbin', '/sbin', GO_FOLDER]) !== undefined;
/** A path, or the name of a command. */
const isThere = (what) => (what.startsWith('/') ? existsSync(what) : onPath(what));
const hasPhpCurl = () => /^curl$/m.test(spawnSync('php', ['-m'], { encoding: 'utf8' }).stdout ?? '');
const hasRequests = () => spawnSync('/usr/bin/python3', ['-c', 'import requests']).status === 0;

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
/** Whether programs that Go builds are in the cache, by the beginning of their names. */
const areBuilt = (...names) => {
  const found = existsSync(CACHE) ? readdirSync(CACHE) : [];
  return names.every((name) => found.some((folder) => folder.startsWith(name)));
};

/**
 * A Debian package, who needs it (a cluster's node, all of `npm run cluster`, tests), its purpose, and what shows that
 * it is installed.
 */
const TABLE = [
  ['podman', 'node', 'builds images', 'podman'],
  ['debootstrap', 'node', 'makes base images', 'debootstrap'],
  ['containerd', 'node', 'runs pods', 'containerd', 'ctr'],
  ['runc', 'node', 'runs containers', 'runc'],
  ['containernetworking-plugins', 'node', 'connects pods', '/usr/lib/cni/ptp'],
  ['iptables', 'node', 'implements Services', 'iptables'],
  ['conntrack', 'node', 'forgets connections to deleted pods', 'conntrack'],
  ['iproute2', 'node', 'creates networks', 'ip'],
  ['util-linux', 'node', 'creates namespaces', 'unshare', 'setpriv'],
  ['prometheus', 'node', 'scrapes the pods', 'prometheus'],
  ['chromium-headless-shell', 'node', 'opens the console and pages', '/usr/bin/chromium-headless-shell'],
  ['postgresql-client', 'whole', 'creates the databases', 'psql'],
  ['docker-registry', 'whole', 'holds the release', 'docker-registry'],
  ['clamav-daemon', 'tests', 'scans documents', '/usr/sbin/clamd'],
  ['pgbouncer', 'tests', 'pools connections to PostgreSQL', '/usr/sbin/pgbouncer'],
  ['curl', 'tests', 'runs published commands', 'curl'],
  ['python3', 'tests', 'runs a webhook verifier', 'python3'],
  ['python3-requests', 'tests', 'makes HTTP calls for Python', hasRequests],
  ['python3-swift', 'tests', 'is an S3 store', '/usr/lib/python3/dist-packages/swift'],
  ['python3-pastescript', 'tests', 'starts that store', '/usr/lib/python3/dist-packages/paste/script'],
  ['php-cli', 'tests', 'runs a webhook verifier', 'php'],
  ['php-curl', 'tests', 'makes HTTP calls for it', hasPhpCurl],
  ['mono-mcs', 'tests', 'compiles a webhook verifier', 'mcs'],
  ['mono-runtime', 'tests', 'runs it', 'mono'],
  [
    'libmono-system-web-extensions4.0-cil',
    'tests',
    'reads JSON for it',
    '/usr/lib/mono/gac/System.Web.Extensions',
  ],
  ['python3-pip', 'tests', 'installs generated clients', 'pip3'],
  ['default-jdk-headless', 'tests', 'compiles generated clients', 'javac'],
  ['maven', 'tests', 'builds generated clients', 'mvn'],
  ['zsh', 'tests', 'completes commands', 'zsh'],
  ['fish', 'tests', 'completes commands', 'fish'],
];
export const needs = TABLE.map(([name, neededBy, why, ...proofs]) => ({
  ...{ name, neededBy, why },
  isThere: () => proofs.every((proof) => (typeof proof === 'function' ? proof() : isThere(proof))),
}));

/** Not from Debian. */
const go = {
  name: 'Go',
  neededBy: 'node',
  why: 'builds Helm and Kubernetes once (https://go.dev/doc/install)',
  isThere: () => onPath('go') || areBuilt('helm-3', 'helm-4', 'kubernetes-'),
};

/** Returns why `npm run cluster` can't start with these arguments, one line per missing item; undefined when it can. */
export function missingForCluster(args) {
  if (args.some((arg) => arg === '--context' || arg.startsWith('--context=')))
    return onPath('kubectl') ? undefined : 'missing: kubectl, which knows the cluster';
  if (process.platform !== 'linux')
    return `a node needs Linux, and this is ${process.platform}; or name a cluster with --context`;
  if (process.getuid?.() !== 0)
    return 'a node needs root, for its networks and mounts; or name a cluster with --context';
  const needed = ['node', ...(args.includes('--short') ? [] : ['whole'])];
  const missing = needs.filter((need) => needed.includes(need.neededBy) && !need.isThere());
  const all = go.isThere() ? missing : [...missing, go];
  if (all.length === 0) return undefined;
  const packages = missing.length > 0 ? [`apt-get install ${missing.map(({ name }) => name).join(' ')}`] : [];
  return [...all.map(({ name, why }) => `missing: ${name}, which ${why}`), ...packages].join('\n');
}

/** The table as `--help` prints it. */
export const describeClusterNeeds = () =>
  [...needs.filter(({ neededBy }) => neededBy !== 'tests'), go]
    .map(
      ({ name, why, neededBy }) =>
        `  ${name.padEnd(28)} ${why}${neededBy === 'node' ? '' : '; not with --short'}`,
    )
    .join('\n');

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  for (const need of needs) if (!need.isThere()) console.log(need.name);
