import { EVERYTHING, KIND, PRODUCTION, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { type KubernetesObject, ofKind, type Pod, podsIn, RUN_TO_THEIR_END } from './objects.ts';

const NETWORK = {
  dnsConfig: { nameservers: ['10.0.0.53'], options: [{ name: 'ndots', value: '2' }] },
  hostAliases: [{ ip: '10.0.0.9', hostnames: ['postgresql.example'] }],
  runtimeClassName: 'gvisor',
};
const COMMON = [
  'commonLabels={"cost-centre":"1234","team":"common"}',
  'commonAnnotations={"example/owner":"leads","example/of":"common"}',
];
const serviceOf = (objects: readonly KubernetesObject[], name: string) =>
  ofKind(objects, 'Service').find(({ metadata }) => metadata.name.endsWith(name))?.spec as
    | Record<string, unknown>
    | undefined;

describeWithHelm('values common to every object', 4, (helm) => {
  const render = (...set: string[]) => helm.render(withValues(PRODUCTION, ...set));
  const refusal = async (...set: string[]) => {
    const { ok, output } = await helm.template(withValues(PRODUCTION, ...set));
    return ok ? 'rendered' : output;
  };

  it.each([
    ['kind', KIND],
    ['everything', withValues(EVERYTHING, 'monitoring.podMonitor.labels={"release":"prometheus"}')],
  ])('labels and annotates every object and labels every pod: %s', async (_, values) => {
    const objects = await helm.render(withValues(values, ...COMMON));
    for (const { metadata } of objects) {
      expect(metadata.labels).toMatchObject({ 'cost-centre': '1234' });
      expect(metadata.annotations).toMatchObject({ 'example/owner': 'leads' });
    }
    for (const { labels } of podsIn(objects)) expect(labels['cost-centre']).toBe('1234');
  });

  it("lets an object's own values win and selects by none of the common ones", async () => {
    const objects = await helm.render(withValues(EVERYTHING, ...COMMON));
    for (const { labels } of podsIn(objects)) expect(labels.team).toBe('leads');
    const own = objects.filter(({ metadata }) =>
      ['migrations', 'audits'].includes(metadata.annotations?.['example/of'] ?? ''),
    );
    expect(own.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'ServiceAccount']);
    for (const { spec } of ofKind(objects, 'Deployment'))
      expect(JSON.stringify((spec as { selector: object }).selector)).not.toContain('cost-centre');
  });

  it('rejects a common label that the chart selects by', async () => {
    expect(await refusal('commonLabels={"app.kubernetes.io/name":"x"}')).toContain(
      '/commonLabels/app.kubernetes.io~1name',
    );
  });

  it('gives every Service the address families and traffic distribution', async () => {
    const objects = await helm.render(
      withValues(
        EVERYTHING,
        'service.ipFamilyPolicy="PreferDualStack"',
        'service.ipFamilies=["IPv6","IPv4"]',
        'service.trafficDistribution="PreferClose"',
      ),
    );
    const services = ofKind(objects, 'Service');
    expect(services.length).toBeGreaterThan(8);
    for (const { spec } of services)
      expect(spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] });
    expect(serviceOf(objects, '-account')).toMatchObject({ trafficDistribution: 'PreferClose' });
  });

  it('gives only gateway Services a load balancer, its class and its policy', async () => {
    const objects = await render(
      'service.type="LoadBalancer"',
      'service.externalTrafficPolicy="Local"',
      'service.loadBalancerClass="service.k8s.aws/nlb"',
    );
    expect(serviceOf(objects, 'gateway-production')).toMatchObject({
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'service.k8s.aws/nlb',
    });
    expect(Object.keys(serviceOf(objects, '-account') ?? {}).sort()).toEqual(['ports', 'selector', 'type']);
  });

  it.each([
    ['service.externalTrafficPolicy="Local"', 'service.externalTrafficPolicy: '],
    ['service.loadBalancerClass="x.example/y"', 'service.loadBalancerClass: '],
    ['service.ipFamilies=["IPv4","IPv6"]', 'service.ipFamilyPolicy: '],
  ])('rejects %s without a Service that supports it', async (set, message) => {
    expect(await refusal(set)).toContain(`\n  - ${message}`);
  });

  it('gives every pod its host aliases, resolvers and runtime class', async () => {
    const set = Object.entries(NETWORK).map(([key, value]) => `defaults.${key}=${JSON.stringify(value)}`);
    const objects = await helm.render(withValues(KIND, ...set));
    const tests = ofKind(objects, 'Pod') as unknown as readonly Pod[];
    expect(tests).toHaveLength(1);
    for (const { spec } of [...podsIn(objects), ...tests]) expect(spec).toMatchObject(NETWORK);
  });

  it('allows a different runtime class per process', async () => {
    const pods = podsIn(
      await render('defaults.runtimeClassName="gvisor"', 'processes.scanner.runtimeClassName="kata"'),
    );
    const of = (name: string) => pods.find(({ component }) => component === name)?.spec.runtimeClassName;
    expect([of('scanner'), of('account')]).toEqual(['kata', 'gvisor']);
  });

  it('sets probe timings for one process or for all', async () => {
    const pods = podsIn(
      await render(
        'defaults.probes.liveness.timeoutSeconds=9',
        'processes.scanner.probes={"startup":{"failureThreshold":600},"readiness":{"initialDelaySeconds":3}}',
      ),
    );
    const serving = pods.filter(({ component }) => !RUN_TO_THEIR_END.includes(component));
    expect(serving.length).toBeGreaterThan(6);
    for (const { spec, component } of serving) {
      const [container] = spec.containers;
      const isScanner = component === 'scanner';
      expect(container?.livenessProbe).toEqual({
        httpGet: { path: '/livez', port: 'private' },
        ...{ periodSeconds: 10, timeoutSeconds: 9, failureThreshold: 3 },
      });
      expect(container?.startupProbe?.failureThreshold).toBe(isScanner ? 600 : 60);
      expect(container?.readinessProbe?.initialDelaySeconds).toBe(isScanner ? 3 : undefined);
    }
  });

  it('creates extra objects and expands their templates', async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: '{{ .Release.Name }}-quota' },
      spec: { hard: { pods: '100' } },
    };
    const [made] = ofKind(await render(`extraObjects=${JSON.stringify([quota])}`), 'ResourceQuota');
    expect(made).toEqual({ ...quota, metadata: { name: 'leads-quota' } });
    expect(await refusal('extraObjects=[{"kind":"X"}]')).toContain("at '/extraObjects/0': missing propert");
  });
});
