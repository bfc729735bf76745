import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Where addresses of pods are taken from, and the node's own among them. */
export const POD_RANGE = '10.244.0.0/16';
export const NODE_ADDRESS = '10.244.0.1';
/** Where the API server takes addresses of Services from: all of them are this node's. */
const SERVICE_RANGE = '10.96.0.0/16';
const BRIDGE = 'pods';
const FIRST = 2;
const LAST = 65_000;

/** Holds a pod's network, host name and shared memory while its containers come and go. */
const PAUSE = `
hostname "$1"
echo 0 2>/dev/null > /proc/sys/net/ipv4/ip_unprivileged_port_start
echo ready
exec sleep infinity`;

export interface PodNetwork {
  readonly address: string;
  /** The process whose network, host name and shared memory the pod's containers share. */
  readonly pause: number;
  remove(): Promise<void>;
}

/** Networks of the pods of one node: a bridge in the network of this process, which must have nothing like it yet. */
export interface PodNetworks {
  add(hostName: string): Promise<PodNetwork>;
  /** Removes the bridge; every pod's network must be removed before. */
  remove(): Promise<void>;
}

/** Rejects when this process may make no networks. */
export async function startPodNetworks(): Promise<PodNetworks> {
  await ip([
    `link add ${BRIDGE} type bridge`,
    `addr add ${NODE_ADDRESS}/16 dev ${BRIDGE}`,
    `link set ${BRIDGE} up`,
    `route add local ${SERVICE_RANGE} dev lo`,
  ]);
  const taken = new Set<number>();
  let last = FIRST - 1;

  /** One after the other, so that an address is not soon another pod's. */
  function nextNumber(): number {
    for (let tried = FIRST; tried <= LAST; tried += 1) {
      last = last >= LAST ? FIRST : last + 1;
      if (taken.has(last)) continue;
      taken.add(last);
      return last;
    }
    throw new Error(`all addresses of ${POD_RANGE} are taken`);
  }

  async function add(hostName: string): Promise<PodNetwork> {
    const number = nextNumber();
    const outside = `pod${number}`;
    const address = `10.244.${number >> 8}.${number & 0xff}`;
    const pause = spawn('unshare', ['--net', '--uts', '--ipc', 'sh', '-c', PAUSE, 'pause', hostName], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = await ready(pause);
    const remove = async () => {
      pause.kill('SIGKILL');
      await ip([`link delete ${outside}`]).catch(() => undefined);
      taken.delete(number);
    };
    try {
      await ip([
        `link add ${outside} type veth peer name eth0 netns ${pid}`,
        `link set ${outside} master ${BRIDGE}`,
        `link set ${outside} up`,
      ]);
      const inside = ['--target', String(pid), '--net', '--', 'ip'];
      await ip(
        [
          'link set lo up',
          `addr add ${address}/16 dev eth0`,
          'link set eth0 up',
          `route add default via ${NODE_ADDRESS}`,
        ],
        ['nsenter', ...inside],
      );
      return { address, pause: pid, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  return {
    add,
    remove: () => ip([`link delete ${BRIDGE}`, `route delete local ${SERVICE_RANGE} dev lo`]),
  };
}

async function ready(pause: ChildProcess): Promise<number> {
  const ended = once(pause, 'exit').then(([code]) => {
    throw new Error(`cannot make the network of a pod: unshare ended with exit code ${code}`);
  });
  ended.catch(() => undefined);
  if (!pause.stdout || pause.pid === undefined) return ended;
  await Promise.race([once(pause.stdout, 'data'), ended]);
  pause.stdout.destroy();
  return pause.pid;
}

/** Runs lines of `ip` at once. */
function ip(
  lines: readonly string[],
  [program = 'ip', ...before]: readonly string[] = ['ip'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...before, '-batch', '-'], (error, _out, stderr) =>
      error ? reject(new Error(`${program} failed: ${stderr.trim() || error.message}`)) : resolve(),
    );
    child.stdin?.end(`${lines.join('\n')}\n`);
  });
}
