import type { Container, Pod } from '../api/objects.ts';

/** What a pod may be told about itself, beside what its object holds. */
export interface PodFacts {
  readonly podIp: string;
  readonly hostIp: string;
  readonly nodeName: string;
  /** What a container without limits may use. */
  readonly cpus: number;
  readonly memoryBytes: number;
}

const MAP_FIELD = /^metadata\.(labels|annotations)\['(.+)'\]$/;

/** The value of a `fieldRef`. Throws for a field that does not exist. */
export function podField(pod: Pod, facts: PodFacts, path: string): string {
  const { metadata, spec } = pod;
  const [, map, key] = MAP_FIELD.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') return metadata[map]?.[key ?? ''] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': listed(metadata.labels),
    'metadata.annotations': listed(metadata.annotations),
    'spec.nodeName': facts.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'status.hostIP': facts.hostIp,
    'status.hostIPs': facts.hostIp,
    'status.podIP': facts.podIp,
    'status.podIPs': facts.podIp,
  };
  const value = fields[path];
  if (value === undefined) throw new Error(`cannot resolve the fieldRef ${path}: unknown field`);
  return value;
}

/** The value of a `resourceFieldRef`, such as `limits.memory` in units of `divisor`, rounded up. */
export function resourceField(
  container: Container,
  facts: PodFacts,
  resource: string,
  divisor: string,
): string {
  const [kind, name = ''] = resource.split('.');
  const { requests = {}, limits = {} } = container.resources ?? {};
  const given = kind === 'limits' ? limits[name] : requests[name];
  const whole = name === 'cpu' ? facts.cpus : facts.memoryBytes;
  const value = given === undefined ? (kind === 'limits' ? whole : 0) : quantity(String(given));
  const unit = quantity(divisor === '' || divisor === '0' ? '1' : divisor);
  return String(Math.ceil(value / unit));
}

const SUFFIXES: Readonly<Record<string, number>> = {
  ...{ '': 1, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** The number that a quantity such as `250m` or `1Gi` means. Throws when it is none. */
export function quantity(text: string): number {
  const [, number, suffix = ''] = /^([\d.]+(?:e\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = SUFFIXES[suffix];
  if (number === undefined || factor === undefined) throw new Error(`invalid quantity ${text}`);
  return Number(number) * factor;
}

const listed = (map: Readonly<Record<string, string>> = {}) =>
  Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join('\n');
