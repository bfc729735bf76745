import type { Connection } from './connections.ts';

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
