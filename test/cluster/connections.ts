import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Pod, Workloads } from './workloads.ts';

/** Pods are looked for so often: their addresses come again only after all others. */
const LOOK_MS = 500;
/** The two sides as the caller sees them, then as the callee does, by whom a Service's address is replaced. */
const SEEN = /src=(\S+) dst=\S+ sport=\d+ dport=\d+ .*src=(\S+) dst=\S+ sport=(\d+)/;

/** A pod of the namespace connected to another. */
export interface Connection {
  readonly from: Pod;
  readonly to: Pod;
  readonly port: number;
}

/** Follows the TCP connections of pods, through Services or not, in the network of this process. Returns those seen so far. */
export function followConnections(workloads: Workloads): () => Connection[] {
  const pods = new Map<string, Pod>();
  const edges = new Map<string, { from: string; to: string; port: number }>();
  const look = async () => {
    for (const pod of await workloads.pods().catch(() => []))
      if (pod.status.podIP !== undefined) pods.set(pod.status.podIP, pod);
  };
  setInterval(look, LOOK_MS).unref();
  const events = spawn('conntrack', ['--event', '--event-mask', 'NEW', '--proto', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  createInterface(events.stdout).on('line', (line) => {
    const [, from, to, port] = SEEN.exec(line) ?? [];
    if (from !== undefined && to !== undefined)
      edges.set(`${from} ${to} ${port}`, { from, to, port: Number(port) });
  });
  return () =>
    [...edges.values()].flatMap(({ from, to, port }) => {
      const [caller, callee] = [pods.get(from), pods.get(to)];
      return caller && callee ? [{ from: caller, to: callee, port }] : [];
    });
}
