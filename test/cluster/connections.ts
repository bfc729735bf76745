import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Pod, Workloads } from './workloads.ts';

/** The polling interval for pods: an address is reused only after all others. */
const LOOK_MS = 500;
/**
 * Both directions of a connection: first as the caller sees it, then as the callee does, after a Service's address has
 * been translated.
 */
const SEEN = /src=(\S+) dst=\S+ sport=\d+ dport=\d+ .*src=(\S+) dst=\S+ sport=(\d+)/;

/** A connection from one pod of the namespace to another. */
export interface Connection {
  readonly from: Pod;
  readonly to: Pod;
  readonly port: number;
}

/**
 * Follows the TCP connections of pods, through Services or not, in this process's network. Returns a function that
 * returns those seen so far.
 */
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
