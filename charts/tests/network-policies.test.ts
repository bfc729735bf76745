import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { join } from 'node:path';
import type {
  INetworkPolicy,
  INetworkPolicyPeer,
  INetworkPolicyPort,
} from 'kubernetes-models/networking.k8s.io/v1';
import type { IService } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { addressPolicy } from '../../services/webhook/src/model/address-policy.ts';
import { CONSOLE, EVERYTHING, KIND, PRODUCTION, WITH_CONSOLE, withValues } from './examples.ts';
import { describeWithHelm, NAMESPACE } from './helm.ts';
import {
  COMPONENT,
  containersOf,
  type KubernetesObject,
  ofKind,
  type Pod,
  plainVariables,
  podsIn,
} from './objects.ts';

/** Addresses in settings that are for others to use: the process itself does not connect to them. */
const TOLD_TO_OTHERS =
  /^SSS_(SANDBOX|PRODUCTION|PAGES|PRODUCTION_PAGES|CONSOLE|JOURNEY|UPLOAD|S3_PUBLIC)_URL$/;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'postgres:': 5432, 'tls:': 4222 };
/** The address range of the issuers' keys, if it is given. */
const ISSUERS = '10.20.3.0/24';
/** The addresses of PostgreSQL and NATS in the examples. */
const SAID = ['10.20.0.0/28', '10.20.1.0/28'];
/** External stores, by the setting that contains their address. */
const STORES: Readonly<Record<string, string>> = {
  SSS_DATABASE_URL: 'postgresql',
  SSS_SESSIONS_DATABASE_URL: 'postgresql',
  SSS_LIMITS_DATABASE_URL: 'postgresql',
  SSS_NATS_URL: 'nats',
  SSS_S3_ENDPOINT: 's3',
  SSS_CLAMD: 'clamd',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
};

const INSTALLING = join(import.meta.dirname, '../../docs/production-values.md');

describeWithHelm('network policies', 4, (helm) => {
  it.each([
    ['kind', KIND],
    ['production', PRODUCTION],
    ['a console', WITH_CONSOLE],
    [
      'everything, and issuers on separate addresses',
      withValues(
        EVERYTHING,
        'networkPolicies.webhookPorts=[]',
        `networkPolicies.to.issuers=[{"ipBlock":{"cidr":"${ISSUERS}"}}]`,
      ),
    ],
    [
      'buckets made by the migration',
      withValues(PRODUCTION, 'documents.s3.setUp={"enabled":true,"existingSecret":"s3-admin"}'),
    ],
    [
      'stores and sessions on other ports',
      withValues(
        WITH_CONSOLE,
        `console=${JSON.stringify({ ...CONSOLE, sharedSessions: true })}`,
        'databases.pgbouncer.host="pgbouncer.databases.example"',
        'databases.billing.port=6432',
        'nats.url="tls://nats.messaging.example"',
        'documents.s3.endpoint="https://s3.example:9000"',
      ),
    ],
  ])('let each pod reach only the addresses in its settings: %s', async (_, values) => {
    const objects = await helm.render(values);
    const peers = peersOfExamples();
    for (const pod of podsIn(objects).filter(({ component }) => !component.startsWith('throw-away-'))) {
      expect({ of: pod.component, allowed: egressOf(pod, objects, peers) }).toEqual({
        of: pod.component,
        allowed: new Set(['resolver:53/UDP', 'resolver:53/TCP', ...wantedOf(pod, objects)]),
      });
    }
  });

  it.each([
    ['kind', KIND],
    ['production', PRODUCTION],
    ['a console', WITH_CONSOLE],
  ])('admit at the callee exactly the callers that they allow out: %s', async (_, values) => {
    const objects = await helm.render(values);
    const peers = peersOfExamples();
    const pods = podsIn(objects);
    const out = pods.flatMap((pod) =>
      [...egressOf(pod, objects, peers)]
        .filter((edge) => pods.some(({ component }) => edge.startsWith(`${component}:`)))
        .map((edge) => `${pod.component} -> ${edge}`),
    );
    const into = pods.flatMap((callee) =>
      policiesOf(callee, objects).flatMap(({ spec }) =>
        (spec?.ingress ?? []).flatMap(({ from = [], ports = [] }) =>
          pods
            .filter((caller) =>
              from.some((peer) => peer.podSelector && !peer.namespaceSelector && selects(peer, caller)),
            )
            .flatMap((caller) =>
              ports.map((port) => `${caller.component} -> ${callee.component}:${nameOf(port)}`),
            ),
        ),
      ),
    );
    const callersOfOurs = into.filter((edge) => !/-> throw-away-/.test(edge));
    expect(new Set(callersOfOurs)).toEqual(new Set(out.filter((edge) => !/-> throw-away-/.test(edge))));
    // Throw-away stores admit the whole release.
    for (const edge of out) expect(into).toContain(edge);
  });

  it('deny unlisted traffic: every pod has the default policy', async () => {
    for (const values of [KIND, PRODUCTION, EVERYTHING]) {
      const objects = await helm.render(values);
      for (const pod of podsIn(objects)) {
        const policies = policiesOf(pod, objects);
        expect(policies.some(({ metadata }) => metadata?.name?.endsWith('-default-deny'))).toBe(true);
        for (const { spec } of policies) expect(spec?.policyTypes).toEqual(['Ingress', 'Egress']);
        // Only public-facing ports may be open to everyone.
        const open = policies.flatMap(({ spec }) =>
          (spec?.ingress ?? [])
            .filter(({ from = [] }) => from.length === 0)
            .flatMap(({ ports = [] }) => ports),
        );
        const publicPorts = open.map(({ port }) => port);
        expect(publicPorts.filter((port) => ![8080, 8081, 8082, 8083].includes(Number(port)))).toEqual([]);
      }
    }
  });

  it('open metrics and RPC only to the configured peers', async () => {
    const objects = await helm.render(PRODUCTION);
    const account = podsIn(objects).find(({ component }) => component === 'account') as Pod;
    const rules = policiesOf(account, objects).flatMap(({ spec }) => spec?.ingress ?? []);
    const from = (namespace: string) =>
      rules
        .filter(({ from = [] }) =>
          from.some(
            ({ namespaceSelector }) =>
              namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] === namespace,
          ),
        )
        .flatMap(({ ports = [] }) => ports.map(({ port }) => port));
    expect(from('back-office')).toEqual([8443]);
    expect(from('monitoring')).toEqual([9090]);
    expect(from('ingress-nginx')).toEqual([]);
  });

  it('admit console traffic from the public ingress unless another peer is set', async () => {
    const from = async (values: typeof PRODUCTION) => {
      const objects = await helm.render(values);
      const pod = podsIn(objects).find(({ component }) => component === 'console') as Pod;
      const rules = policiesOf(pod, objects).flatMap(({ spec }) => spec?.ingress ?? []);
      return rules
        .filter(({ ports = [] }) => ports.some(({ port }) => port === 8083))
        .flatMap(({ from: peers = [] }) =>
          peers.map(({ namespaceSelector }) => namespaceSelector?.matchLabels),
        );
    };
    const name = 'kubernetes.io/metadata.name';
    expect(await from(WITH_CONSOLE)).toEqual([{ [name]: 'ingress-nginx' }]);
    expect(await from(EVERYTHING)).toEqual([{ [name]: 'ingress-internal' }]);
  });

  it('open only the private port of public-facing pods to health checks', async () => {
    const range = '10.40.8.0/24';
    const asked = (values: typeof PRODUCTION) =>
      withValues(values, `networkPolicies.from.healthChecks=[{"ipBlock":{"cidr":"${range}"}}]`);
    const opened = async (values: typeof PRODUCTION) => {
      const objects = await helm.render(asked(values));
      return podsIn(objects)
        .flatMap((pod) =>
          policiesOf(pod, objects)
            .flatMap(({ spec }) => spec?.ingress ?? [])
            .filter(({ from = [] }) => from.some(({ ipBlock }) => ipBlock?.cidr === range))
            .flatMap(({ ports = [] }) => ports.map((port) => `${pod.component}:${nameOf(port)}`)),
        )
        .sort();
    };
    const gateways = ['gateway-production:9090/TCP', 'gateway-sandbox:9090/TCP'];
    expect(await opened(PRODUCTION)).toEqual(gateways);
    expect(await opened(EVERYTHING)).toEqual(['console:9090/TCP', ...gateways]);
  });

  it('let documents reach a store on public addresses only on its port, and not private ranges', async () => {
    const example = ipBlocksOf(readFileSync(INSTALLING, 'utf8'));
    expect(example.length).toBeGreaterThan(1);
    const objects = await helm.render(
      withValues(
        PRODUCTION,
        'documents.s3.endpoint="https://s3.eu-west-2.amazonaws.com"',
        `networkPolicies.to.s3=${JSON.stringify(example)}`,
      ),
    );
    for (const { component, ...pod } of podsIn(objects)) {
      const rules = policiesOf({ component, ...pod }, objects)
        .flatMap(({ spec }) => spec?.egress ?? [])
        .filter(({ to }) => JSON.stringify(sorted(to)) === JSON.stringify(sorted(example)));
      const stores = ['document', 'scanner'].includes(component);
      expect([component, rules.flatMap(({ ports = [] }) => ports.map(nameOf))]).toEqual([
        component,
        stores ? ['443/TCP'] : [],
      ]);
    }
    const blocks = example.flatMap(({ ipBlock }) => ipBlock ?? []);
    const reaches = (address: string) =>
      blocks.some(({ cidr, except = [] }) => contains([cidr], address) && !contains(except, address));
    const reached = ['52.95.150.1', '10.20.0.1', '169.254.169.254', '192.168.1.1', '2a05:d07f::1', 'fd00::1'];
    expect(reached.filter(reaches)).toEqual(['52.95.150.1', '2a05:d07f::1']);
  });

  it('isolate the scanner, which parses hostile bytes, from everything but its stores', async () => {
    for (const values of [KIND, PRODUCTION]) {
      const objects = await helm.render(values);
      const scanner = podsIn(objects).find(({ component }) => component === 'scanner') as Pod;
      expect([...egressOf(scanner, objects, peersOfExamples())].join(' ')).not.toContain('public');
      const ports = policiesOf(scanner, objects)
        .flatMap(({ spec }) => spec?.ingress ?? [])
        .flatMap(({ ports: open = [] }) => open.map(({ port }) => port));
      expect(ports.filter((port) => port !== 9090)).toEqual([]);
    }
  });

  it('let webhooks reach the public unicast addresses that the service itself allows', async () => {
    const objects = await helm.render(PRODUCTION);
    const webhook = podsIn(objects).find(({ component }) => component === 'webhook') as Pod;
    // Policies are additive: anything opened for another purpose is open to webhooks too.
    const blocks = policiesOf(webhook, objects)
      .flatMap(({ spec }) => spec?.egress ?? [])
      .flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    const reaches = (address: string) =>
      blocks.some(({ cidr, except = [] }) => contains([cidr], address) && !contains(except, address));
    const judged = addressPolicy([]);
    const edges = edgesOf(blocks.flatMap(({ except = [] }) => except));
    const translated = [...edges, ipv4(randomInt(2 ** 32))].map((address) => `64:ff9b::${address}`);
    const addresses = [...edges, ...translated, ...randomAddresses(5_000)];
    const differing = addresses.filter(
      (address) => reaches(address) !== (judged.admits(address) || contains(SAID, address)),
    );
    expect(differing).toEqual([]);
    expect(addresses.some(reaches)).toBe(true);
    expect(translated.some(reaches)).toBe(true);
  });

  it('let only webhooks reach a NAT64 prefix in the values', async () => {
    const values = withValues(PRODUCTION, 'processes.webhook.settings.nat64Prefixes=["fd00:64::/96"]');
    const objects = await helm.render(values);
    const reaches = (pod: Pod) => JSON.stringify(policiesOf(pod, objects)).includes('"fd00:64::/96"');
    const names = podsIn(objects).flatMap((pod) => (reaches(pod) ? [pod.component] : []));
    expect(names).toEqual(['webhook']);
  });

  it('are absent when disabled', async () => {
    const objects = await helm.render(withValues(PRODUCTION, 'networkPolicies.enabled=false'));
    expect(ofKind(objects, 'NetworkPolicy')).toEqual([]);
  });
});

/** Returns the peers of `networkPolicies.to.s3` in a page's example. */
function ipBlocksOf(page: string): INetworkPolicyPeer[] {
  const [, yaml = ''] = /```yaml\n(networkPolicies:\n {2}to:\n {4}s3:\n[^`]*)```/.exec(page) ?? [];
  const values = parse(yaml) as { networkPolicies: { to: { s3: INetworkPolicyPeer[] } } } | null;
  return values?.networkPolicies.to.s3 ?? [];
}

/** Returns the stores by their peers in the values, serialised for comparison. */
function peersOfExamples(): Map<string, string> {
  const named = (namespace: string) => [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
  ];
  const resolver = named('kube-system').map((peer) => ({
    ...peer,
    podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
  }));
  const entries: [string, readonly INetworkPolicyPeer[]][] = [
    ['postgresql', [{ ipBlock: { cidr: '10.20.0.0/28' } }]],
    ['nats', [{ ipBlock: { cidr: '10.20.1.0/28' } }]],
    ['s3', [{ ipBlock: { cidr: '10.20.2.0/24' } }]],
    ['clamd', named('scanning')],
    ['issuers', [{ ipBlock: { cidr: ISSUERS } }]],
    ['collector', [{ ipBlock: { cidr: '10.20.4.0/28' } }]],
    ['resolver', resolver],
  ];
  return new Map(entries.map(([store, peers]) => [JSON.stringify(sorted(peers)), store]));
}

/** Returns what a pod needs according to its settings: `billing:8443`, `postgresql:5432`. */
function wantedOf(pod: Pod, objects: readonly KubernetesObject[]): string[] {
  const addresses = containersOf(pod).flatMap((container) =>
    Object.entries(plainVariables(container)).filter(
      ([name]) => /^(?:SSS|OTEL)_.*(_URL|ENDPOINT|CLAMD)$/.test(name) && !TOLD_TO_OTHERS.test(name),
    ),
  );
  const from = JSON.stringify(objects).includes(ISSUERS) ? 'issuers' : 'public';
  const stores: typeof STORES = { ...STORES, SSS_OIDC_ISSUER_URL: from };
  const wanted = addresses.map(([name, address]) => {
    const { hostname, port, protocol } = new URL(address);
    const number = Number(port) || DEFAULT_PORTS[protocol];
    const service = ofKind(objects, 'Service').find(
      ({ metadata }) => hostname === `${metadata.name}.${NAMESPACE}.svc`,
    );
    return `${service ? componentBehind(service, Number(number)) : stores[name]}:${number}/TCP`;
  });
  const answersCalls = pod.component !== 'scanner';
  const believes = answersCalls && (pod.spec.volumes?.some(({ name }) => name === 'issuers') ?? false);
  const isFetched = believes && JSON.stringify(objects).includes('jwksUri');
  return [
    ...wanted,
    ...(isFetched ? [`${from}:443/TCP`] : []),
    ...(pod.component === 'webhook' ? ['public:1-65535/TCP'] : []),
  ];
}

/** Returns the component behind a Service, which must serve that port. */
function componentBehind(service: KubernetesObject, port: number): string | undefined {
  const { spec } = service as unknown as IService;
  expect((spec?.ports ?? []).map((one) => one.port)).toContain(port);
  return spec?.selector?.[COMPONENT];
}

function egressOf(pod: Pod, objects: readonly KubernetesObject[], peers: Map<string, string>): Set<string> {
  const pods = podsIn(objects);
  return new Set(
    policiesOf(pod, objects).flatMap(({ spec }) =>
      (spec?.egress ?? []).flatMap(({ to = [], ports = [] }) => {
        const own = to.length === 1 && to[0]?.podSelector && !to[0].namespaceSelector ? to[0] : undefined;
        const target = own
          ? pods.find((other) => selects(own, other))?.component
          : (peers.get(JSON.stringify(sorted(to))) ??
            (to.every(({ ipBlock }) => ipBlock?.except) ? 'public' : 'unknown'));
        return ports.map((port) => `${target}:${nameOf(port)}`);
      }),
    ),
  );
}

const nameOf = ({ port, endPort, protocol }: INetworkPolicyPort) =>
  `${port}${endPort ? `-${endPort}` : ''}/${protocol}`;

function policiesOf(pod: Pod, objects: readonly KubernetesObject[]): INetworkPolicy[] {
  const policies = ofKind(objects, 'NetworkPolicy') as unknown as INetworkPolicy[];
  return policies.filter(({ spec }) => selects(spec as INetworkPolicyPeer, pod));
}

const selects = ({ podSelector }: INetworkPolicyPeer, pod: Pod): boolean =>
  Object.entries(podSelector?.matchLabels ?? {}).every(([label, value]) => pod.labels[label] === value);

/** Returns the value with sorted keys, so that equal peers compare as equal. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function contains(ranges: readonly string[], address: string): boolean {
  const list = new BlockList();
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    if (isIPv4(base) === isIPv4(address)) list.addSubnet(base, Number(bits), family);
  }
  return list.check(address, family);
}

/** Returns the first and last address of each IPv4 range and the addresses next to them. */
function edgesOf(ranges: readonly string[]): string[] {
  return ranges
    .filter((range) => range.includes('.'))
    .flatMap((range) => {
      const [base = '', bits] = range.split('/');
      const first = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      const last = first + 2 ** (32 - Number(bits)) - 1;
      return [first - 1, first, last, last + 1].filter((n) => n >= 0 && n < 2 ** 32).map(ipv4);
    });
}

const ipv4 = (n: number) => [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256).join('.');

/** Returns random addresses: half are IPv6, and half of those are near special ranges. */
function randomAddresses(count: number): string[] {
  const group = () => randomInt(65_536).toString(16);
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 0) return ipv4(randomInt(2 ** 32));
    const first = ['2001', '2002', '3fff', 'fe80', 'fc00', '2a00', group()][index % 7] ?? group();
    return [first, ...Array.from({ length: 7 }, group)].join(':');
  });
}
