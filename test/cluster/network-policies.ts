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

type Labels = Readonly<Record<string, string>>;
interface Selector {
  readonly matchLabels?: Labels;
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly protocol?: string; readonly port: number }[];
}
export interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** Returns the connections between pods of a namespace that its policies forbid, one line each. */
export const forbidden = (connections: readonly Connection[], policies: readonly NetworkPolicy[]): string[] =>
  connections.flatMap(({ from, to, port }) => {
    const [caller, callee] = [from.metadata.labels ?? {}, to.metadata.labels ?? {}];
    const edge = `${from.metadata.name} -> ${to.metadata.name}:${port}`;
    const refusing = [
      ...(permits(policies, 'Egress', caller, callee, port) ? [] : ['the caller']),
      ...(permits(policies, 'Ingress', callee, caller, port) ? [] : ['access to the callee']),
    ];
    return refusing.map((what) => `${edge}: no policy allows ${what}`);
  });

/** Returns whether pods labelled `own` may connect with pods labelled `other` in one direction. */
function permits(
  policies: readonly NetworkPolicy[],
  type: 'Ingress' | 'Egress',
  own: Labels,
  other: Labels,
  port: number,
): boolean {
  const applying = policies.filter(
    ({ spec }) => selects(spec.podSelector, own) && spec.policyTypes.includes(type),
  );
  const rules = applying.flatMap(({ spec }) => (type === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  const permitting = rules.some(({ from, to, ports = [] }) => {
    const peers = from ?? to ?? [];
    const isPeer = peers.some((peer) => !peer.namespaceSelector && selects(peer.podSelector, other));
    const isPort = ports.some((one) => (one.protocol ?? 'TCP') === 'TCP' && one.port === port);
    return (isPeer || peers.length === 0) && (isPort || ports.length === 0);
  });
  return permitting || applying.length === 0;
}

const selects = (selector: Selector | undefined, labels: Labels) =>
  selector !== undefined &&
  Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
