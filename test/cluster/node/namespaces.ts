import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { missingForCluster } from '../../../deploy/commands/needs.mjs';

const CGROUPS = '/sys/fs/cgroup';
const UNSHARE = ['--mount', '--net', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Outlives the process that started it: ends everything inside, and removes its control groups, which belong to the
 * machine.
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

/** Reaps orphans, as the first process of a namespace has to. */
const FIRST = 'trap "" INT TERM HUP; "$@" <&0 & wait $!; exit $?';

/** Why this machine can't run a node; undefined if it can. */
export function lacksNode(): string | undefined {
  const missing = missingForCluster(['--short']);
  if (missing !== undefined) return missing;
  const tried = spawnSync('unshare', [...UNSHARE, '--', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : `this machine does not allow namespaces: ${tried.stderr.trim()}`;
}

/**
 * Runs a program in separate namespaces. However it or this process ends, only files are left behind. Resolves to its
 * exit code, 128 + n after signal n. `CGROUP` tells the program the name of the control group for its pods.
 */
export function runInOwnNamespaces(command: readonly string[]): Promise<number> {
  const env = { ...process.env, CGROUP: `supplier-node-${process.pid}` };
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
