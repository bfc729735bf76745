import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';

/** Tells a process inside which network it does not have. */
const OUTER_NETWORK = 'SUPPLIER_CLUSTER_OUTER_NETWORK';
const UNSHARE = ['--mount', '--net', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first process: it reaps what its descendants leave, and passes signals on to the one that it runs. */
const INIT = `
ip link set lo up || exit 125
"$@" <&0 & child=$!
for signal in INT TERM HUP; do trap "kill -$signal $child" $signal; done
while :; do wait $child; code=$?; kill -0 $child 2>/dev/null || exit $code; done`;

/** Why this machine gives no process namespaces of its own, as a sentence; undefined where it does. */
export function lacksNamespaces(): string | undefined {
  if (process.platform !== 'linux') return `a node of processes needs Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'a node of processes needs root, for networks and mounts of its own';
  for (const [tool, ...args] of [
    ['ip', '-V'],
    ['setpriv', '--version'],
    ['nsenter', '--version'],
  ] as const)
    if (spawnSync(tool, args, { stdio: 'ignore' }).status !== 0)
      return `a node of processes needs ${tool} (Debian: iproute2, util-linux)`;
  const tried = spawnSync('unshare', [...UNSHARE, '--', 'sh', '-c', `${INIT}`, 'init', 'true'], {
    encoding: 'utf8',
  });
  return tried.status === 0
    ? undefined
    : `this machine gives no namespaces: ${tried.stderr.trim() || tried.error?.message}`;
}

/**
 * Runs a program with network, mounts and process ids of its own: it sees the files of this machine, but of networks only
 * a loopback, and when it ends, or this process does, everything that it started ends with it and its mounts and networks
 * are gone. Resolves with its exit code, 128 + n after signal n. SIGINT, SIGTERM and SIGHUP are passed on meanwhile.
 */
export function runInOwnNamespaces(command: readonly string[]): Promise<number> {
  const env = { ...process.env, [OUTER_NETWORK]: currentNetwork() };
  const args = [...UNSHARE, '--', 'sh', '-c', INIT, 'init', ...command];
  return new Promise((resolve, reject) => {
    // Killed with this process, and with it all that is inside.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'unshare', ...args], {
      env,
      stdio: 'inherit',
    });
    const pass = (signal: NodeJS.Signals) => {
      // What runs it ignores signals; the first process inside passes them on.
      const first = firstInside(child.pid ?? 0);
      if (first) process.kill(first, signal);
      else child.kill('SIGKILL');
    };
    for (const signal of SIGNALS) process.on(signal, pass);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const each of SIGNALS) process.removeListener(each, pass);
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  });
}

/** True in a process that `runInOwnNamespaces` started, and in its descendants. */
export function isInOwnNamespaces(): boolean {
  const outer = process.env[OUTER_NETWORK];
  return outer !== undefined && outer !== currentNetwork();
}

/** The process that `unshare` forked, by its number outside. */
export function firstInside(unshare: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8').trim();
    return children === '' ? undefined : Number(children.split(' ')[0]);
  } catch {
    return undefined;
  }
}

const currentNetwork = () => readlinkSync('/proc/self/ns/net');
