import { COMPONENTS } from '../monitoring/alerts.ts';
import { ruleGroups } from '../monitoring/files.ts';
import { SCRAPE_LABELS } from '../monitoring/selectors.ts';
import { EVERYTHING, PRODUCTION, withValues } from './examples.ts';
import { describeWithHelm, NAMESPACE } from './helm.ts';
import { COMPONENT, type KubernetesObject, ofKind, podsIn } from './objects.ts';

const CHANGED = { ...EVERYTHING, release: 'sole' };
const METRICS = 'sole-supplier-submissions-metrics';

interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}
interface Rule {
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const specOf = <Spec>(object: KubernetesObject | undefined) => object?.spec as Spec;
const dashboardsIn = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'ConfigMap').filter(({ metadata }) => metadata.labels?.grafana_dashboard === '1');

describeWithHelm('monitoring', 4, (helm) => {
  it('is only rendered on request, part by part', async () => {
    const kinds = async (...set: string[]) => {
      const objects = await helm.render(withValues(PRODUCTION, ...set));
      const services = ofKind(objects, 'Service').filter(({ metadata }) =>
        metadata.name.endsWith('-metrics'),
      );
      return [
        services.length,
        ...['ServiceMonitor', 'PodMonitor', 'PrometheusRule'].map((kind) => ofKind(objects, kind).length),
        dashboardsIn(objects).length,
      ];
    };
    expect(await kinds()).toEqual([0, 0, 0, 0, 0]);
    expect(await kinds('monitoring.serviceMonitor.enabled=true')).toEqual([1, 1, 0, 0, 0]);
    expect(await kinds('monitoring.podMonitor.enabled=true')).toEqual([0, 0, 1, 0, 0]);
    expect(await kinds('monitoring.rules.enabled=true')).toEqual([0, 0, 0, 1, 0]);
    expect(await kinds('monitoring.dashboards.enabled=true')).toEqual([0, 0, 0, 0, 3]);
  });

  it('scrapes the private port of every process through a headless Service that is never public', async () => {
    const objects = await helm.render(CHANGED);
    const service = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === METRICS);
    const { selector, ...spec } = specOf<{ selector: Record<string, string> }>(service);
    expect(spec).toEqual({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      ports: [{ name: 'private', port: 9090, targetPort: 'private', appProtocol: 'http' }],
    });
    const processes = podsIn(ofKind(objects, 'Deployment'));
    expect(processes.length).toBeGreaterThan(6);
    for (const { labels, spec: pod } of processes) {
      expect(labels).toMatchObject(selector);
      const ports = pod.containers.flatMap((container) => container.ports ?? []);
      expect(ports.filter(({ name }) => name === 'private')).toHaveLength(1);
    }
    const [monitor] = ofKind(objects, 'ServiceMonitor');
    const { endpoints, ...selects } = specOf<{ endpoints: [{ relabelings: { targetLabel: string }[] }] }>(
      monitor,
    );
    expect(service?.metadata.labels).toMatchObject(
      (selects as unknown as { selector: { matchLabels: object } }).selector.matchLabels,
    );
    const [{ relabelings, ...endpoint }] = endpoints;
    expect(endpoint).toEqual({ port: 'private', path: '/metrics', interval: '30s' });
    const source = '__meta_kubernetes_pod_label_app_kubernetes_io_component';
    expect(relabelings).toEqual([{ sourceLabels: [source], targetLabel: 'component' }]);
    expect(SCRAPE_LABELS).toContain('component');
    expect(monitor?.metadata.labels).toMatchObject({ release: 'prometheus' });
  });

  it('scrapes the same pods with a PodMonitor, with the same labels and without a Service', async () => {
    const objects = await helm.render({
      ...withValues(PRODUCTION, 'monitoring.podMonitor={"enabled":true,"labels":{"release":"prometheus"}}'),
      release: 'sole',
    });
    const services = ofKind(objects, 'Service').filter(({ metadata }) => metadata.name === METRICS);
    expect(services).toEqual([]);
    const [monitor] = ofKind(objects, 'PodMonitor');
    expect(monitor?.metadata.labels).toMatchObject({ release: 'prometheus' });
    const { selector, podMetricsEndpoints } = specOf<{
      selector: { matchLabels: object };
      podMetricsEndpoints: unknown;
    }>(monitor);
    const selected = podsIn(ofKind(objects, 'Deployment'));
    expect(selected.length).toBeGreaterThan(6);
    for (const { labels } of selected) expect(labels).toMatchObject(selector.matchLabels);
    // The rules select by the job name that a ServiceMonitor would set.
    expect(podMetricsEndpoints).toEqual([
      {
        port: 'private',
        path: '/metrics',
        interval: '30s',
        relabelings: [
          { targetLabel: 'job', replacement: METRICS },
          {
            sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'],
            targetLabel: 'component',
          },
        ],
      },
    ]);
  });

  it('rejects both monitors together, so that each pod is scraped once', async () => {
    const { ok, output } = await helm.template(
      withValues(PRODUCTION, 'monitoring.serviceMonitor.enabled=true', 'monitoring.podMonitor.enabled=true'),
    );
    expect(ok).toBe(false);
    expect(output).toContain('monitoring.podMonitor.enabled: false where');
  });

  it('limits the rules to this release and links to the runbooks', async () => {
    const [object] = ofKind(await helm.render(CHANGED), 'PrometheusRule');
    const { groups } = specOf<Rules>(object);
    expect(groups.map(({ name }) => name)).toEqual(ruleGroups().map(({ name }) => name));
    for (const { expr, annotations, labels } of groups.flatMap(({ rules }) => rules)) {
      expect(expr).toContain(`{namespace="${NAMESPACE}",job="${METRICS}"`);
      if (annotations)
        expect(annotations.runbook_url).toMatch(/^https:\/\/docs\.example\/runbooks\.md#sss[a-z]+$/);
      else expect(labels).toMatchObject({ namespace: NAMESPACE, job: METRICS });
    }
    expect(JSON.stringify(object)).not.toMatch(/RELEASE_|RUNBOOK_BASE_URL/);
  });

  it('alerts on the absence of every process that the chart installs', async () => {
    const components = podsIn(ofKind(await helm.render(CHANGED), 'Deployment')).map(({ labels }) =>
      labels[COMPONENT]?.replace(/^gateway-.*/, 'gateway'),
    );
    expect([...COMPONENTS].sort()).toEqual([...new Set(components)].sort());
  });

  it('does not alert on the absence of a disabled console', async () => {
    const [object] = ofKind(
      await helm.render(withValues(CHANGED, 'console.enabled=false')),
      'PrometheusRule',
    );
    const missed = specOf<Rules>(object)
      .groups.flatMap(({ rules }) => rules)
      .flatMap(({ expr }) => (expr.startsWith('absent(sss_build_info') ? [expr] : []));
    expect(missed).toHaveLength(COMPONENTS.length - 1);
    expect(missed.join(' ')).not.toContain('console');
  });

  it('has dashboards that Grafana can read, with short identifiers', async () => {
    const dashboards = dashboardsIn(await helm.render(CHANGED));
    expect(dashboards).toHaveLength(3);
    for (const { metadata, data } of dashboards) {
      expect(metadata.annotations).toEqual({ grafana_folder: 'Suppliers' });
      const [[name = '', text = ''] = []] = Object.entries(data as Record<string, string>);
      const { uid, panels } = JSON.parse(text) as { uid: string; panels: { id: number }[] };
      expect(name).toBe(`${uid}.json`);
      expect(uid.length).toBeLessThanOrEqual(40);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    }
  });

  it.each([
    ['monitoring.runbookBaseUrl="https://docs.example/x#y"', 'runbookBaseUrl'],
    ['monitoring.serviceMonitor.interval="30"', 'interval'],
    ['monitoring.serviceMonitor.port=1', 'port'],
    ['monitoring.dashboards.labels={"grafana_dashboard":1}', 'grafana_dashboard'],
  ])('rejects %s', async (set, named) => {
    const { ok, output } = await helm.template(withValues(PRODUCTION, set));
    expect(ok).toBe(false);
    expect(output).toContain(named);
  });
});
