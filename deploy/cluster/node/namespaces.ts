import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { needs } from '../../commands/needs.mjs';

const CGROUPS = '/sys/fs/cgroup';
const PREFIX = 'supplier-node-';
const UNSHARE = ['--mount', '--net', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Outlives the process that started it, even one that is killed: ends everything inside, with its mounts, networks and
 * processes, and removes its control groups, which belong to the whole machine.
 */
const KEEPER = `
trap 'kill -KILL $inside' TERM
trap '' INT HUP
setpriv --pdeathsig KILL -- unshare ${UNSHARE.join(' ')} -- "$@" <&0 & inside=$!
# No word of how it was killed.
exec 2>/dev/null
wait $inside; code=$?
while kill -0 $inside; do wait $inside; code=$?; done
for try in $(seq 100); do
  find ${CGROUPS} -mindepth 1 -depth -type d -path "*/$CGROUP*" -exec rmdir {} +
  [ -z "$(find ${CGROUPS} -maxdepth 2 -type d -name "$CGROUP")" ] && break
  sleep 0.1
done
exit $code`;

/** Reaps what its descendants leave: the first process of a namespace of processes has to. */
const FIRST = 'trap "" INT TERM HUP; "$@" <&0 & wait $!; exit $?';

/** Why this machine cannot have a node of its own, as a sentence; undefined where it can. */
export function lacksNode(): string | undefined {
  if (process.platform !== 'linux') return `a node needs Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'a node needs root, for networks and mounts of its own';
  const missing = needs.filter(({ neededBy, isThere }) => neededBy === 'node' && !isThere());
  if (missing.length > 0)
    return `a node needs ${missing.map(({ name }) => name).join(', ')} (apt-get install)`;
  const tried = spawnSync('unshare', [...UNSHARE, '--', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : `this machine gives no namespaces: ${tried.stderr.trim()}`;
}

/**
 * Runs a program with networks, mounts and process numbers of its own. When it ends, or this process does, however that
 * is, everything that it started ends, and nothing of it is left on the machine but files. Resolves to its exit code, 128 + n
 * after signal n. The program finds the name of the control group that is to hold its pods in `CGROUP`.
 */
export function runInOwnNamespaces(command: readonly string[]): Promise<number> {
  removeAbandoned();
  const env = { ...process.env, CGROUP: `${PREFIX}${process.pid}` };
  const keeper = ['--pdeathsig', 'TERM', '--', 'bash', '-c', KEEPER, 'keeper'];
  return new Promise((resolve, reject) => {
    const child = spawn('setpriv', [...keeper, 'bash', '-c', FIRST, 'first', ...command], {
      env,
      stdio: 'inherit',
    });
    let asked: NodeJS.Signals | undefined;
    const end = (signal: NodeJS.Signals) => {
      asked = signal;
      child.kill('SIGTERM');
    };
    for (const signal of SIGNALS) process.on(signal, end);
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const signal of SIGNALS) process.removeListener(signal, end);
      resolve(asked ? 128 + constants.signals[asked] : (code ?? 1));
    });
  });
}

/** Control groups of a node whose keeper was killed, too. */
function removeAbandoned(): void {
  for (const hierarchy of [CGROUPS, ...foldersIn(CGROUPS)])
    for (const group of foldersIn(hierarchy)) {
      const owner = /\/supplier-node-(\d+)$/.exec(group)?.[1];
      if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeTree(group);
    }
}

function removeTree(group: string): void {
  for (const inner of foldersIn(group)) removeTree(inner);
  rmdirSync(group);
}

const foldersIn = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => join(path, name));
