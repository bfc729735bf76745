import type { Connection } from './connections.ts';

type Labels = Readonly<Record<string, string>>;
interface Selector {
  readonly matchLabels?: Labels;
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly {
    readonly protocol?: string;
    readonly port?: number | string;
    readonly endPort?: number;
  }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: unknown;
}
export interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** Returns the connections between pods of a namespace that its policies forbid, one line each. */
export function forbidden(connections: readonly Connection[], policies: readonly NetworkPolicy[]): string[] {
  return connections.flatMap(({ from, to, port }) => {
    const [caller, callee] = [from.metadata.labels ?? {}, to.metadata.labels ?? {}];
    const edge = `${from.metadata.name} -> ${to.metadata.name}:${port}`;
    return [
      ...(permits(policies, 'Egress', caller, callee, port) ? [] : [`${edge}: no policy allows the caller`]),
      ...(permits(policies, 'Ingress', callee, caller, port)
        ? []
        : [`${edge}: no policy allows access to the callee`]),
    ];
  });
}

/** Returns whether pods labelled `own` may connect with pods labelled `other` in one direction. */
function permits(
  policies: readonly NetworkPolicy[],
  type: 'Ingress' | 'Egress',
  own: Labels,
  other: Labels,
  port: number,
): boolean {
  const applying = policies.filter(
    ({ spec }) => selects(spec.podSelector, own) && (spec.policyTypes ?? []).includes(type),
  );
  if (applying.length === 0) return true;
  const rules = applying.flatMap(({ spec }) => (type === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  return rules.some((rule) => {
    const peers = (type === 'Ingress' ? rule.from : rule.to) ?? [];
    const isPeer = peers.length === 0 || peers.some((peer) => isOf(peer, other));
    const ports = rule.ports ?? [];
    return isPeer && (ports.length === 0 || ports.some((one) => holds(one, port)));
  });
}

const isOf = ({ podSelector, namespaceSelector, ipBlock }: Peer, labels: Labels) =>
  !ipBlock && !namespaceSelector && podSelector !== undefined && selects(podSelector, labels);

const selects = ({ matchLabels = {} }: Selector, labels: Labels) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

function holds(
  { protocol = 'TCP', port, endPort }: NonNullable<Rule['ports']>[number],
  number: number,
): boolean {
  if (protocol !== 'TCP') return false;
  if (port === undefined) return true;
  return typeof port === 'number' && port <= number && number <= (endPort ?? port);
}
