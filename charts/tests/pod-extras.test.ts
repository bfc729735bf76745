import { EVERYTHING, KIND, PRODUCTION, SIDECAR, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { type KubernetesObject, ofKind, type Pod, podsIn, RUN_TO_THEIR_END } from './objects.ts';

const VOLUME = '{"name":"extra","configMap":{"name":"extra"}}';
/** Returns the sidecar with some fields changed. */
const sidecarWith = (other: object) => `defaults.sidecars=${JSON.stringify([{ ...SIDECAR, ...other }])}`;

describeWithHelm('pod customization', 4, (helm) => {
  const pods = async (...set: string[]) => podsIn(await helm.render(withValues(PRODUCTION, ...set)));
  const serving = (all: readonly Pod[]) =>
    all.filter(({ component }) => !RUN_TO_THEIR_END.includes(component));
  const refusal = async (...set: string[]) => {
    const { ok, output } = await helm.template(withValues(PRODUCTION, ...set));
    return ok ? 'rendered' : output;
  };

  it('spreads the pods of each process over nodes and zones where possible', async () => {
    const all = serving(await pods());
    expect(all.length).toBeGreaterThan(6);
    for (const { spec, owner } of all) {
      const { matchLabels } = (owner.spec as { selector: { matchLabels: object } }).selector;
      const each = { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', matchLabelKeys: ['pod-template-hash'] };
      expect(spec.topologySpreadConstraints).toEqual(
        ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
          topologyKey,
          ...each,
          labelSelector: { matchLabels },
        })),
      );
    }
  });

  it('places the pods of Jobs, of CronJobs, of the test and of throw-away stores like all others', async () => {
    const placement = {
      nodeSelector: { pool: 'leads' },
      tolerations: [{ key: 'leads', operator: 'Exists' }],
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      priorityClassName: 'high',
    };
    const set = Object.entries(placement).map(([key, value]) => `defaults.${key}=${JSON.stringify(value)}`);
    for (const values of [PRODUCTION, KIND]) {
      const objects = await helm.render(withValues(values, ...set));
      const tests = ofKind(objects, 'Pod') as unknown as readonly Pod[];
      const all = [...podsIn(objects), ...tests];
      expect(all.length).toBeGreaterThan(12);
      for (const { spec } of all) {
        expect(spec).toMatchObject(placement);
        expect(spec.topologySpreadConstraints).toHaveLength(2);
      }
    }
  });

  it('runs Jobs on nodes of their own if these are named', async () => {
    const all = await pods(
      'defaults.nodeSelector={"pool":"leads"}',
      'migrations.nodeSelector={"jobs":"yes"}',
      'auditVerification.tolerations=[{"key":"night","operator":"Exists"}]',
    );
    const of = (name: string) => all.find(({ component }) => component === name)?.spec;
    expect(of('migrations')?.nodeSelector).toEqual({ jobs: 'yes' });
    expect(of('audit-verification')).toMatchObject({
      nodeSelector: { pool: 'leads' },
      tolerations: [{ key: 'night', operator: 'Exists' }],
    });
    expect(of('account')?.nodeSelector).toEqual({ pool: 'leads' });
  });

  it('overrides the spread of one process and disables it for another', async () => {
    const all = await pods(
      'processes.webhook.topologySpreadConstraints=[{"topologyKey":"rack","maxSkew":2,"whenUnsatisfiable":"DoNotSchedule","minDomains":3}]',
      'processes.billing.topologySpreadConstraints=[]',
    );
    const of = (name: string) =>
      all.find(({ component }) => component === name)?.spec.topologySpreadConstraints;
    expect(of('webhook')).toMatchObject([
      { topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule', minDomains: 3 },
    ]);
    expect(of('billing')).toBeUndefined();
    expect(of('account')).toHaveLength(2);
  });

  it('leaves only users and groups to the platform', async () => {
    const byChart = await helm.render(EVERYTHING);
    const byPlatform = await helm.render(withValues(EVERYTHING, 'security.assignedByPlatform=true'));
    const of = (objects: readonly KubernetesObject[]) =>
      podsIn(objects).map(({ component, spec }) => ({ component, spec }));
    expect(podsIn(byPlatform).length).toBeGreaterThan(11);
    for (const { spec } of podsIn(byPlatform))
      expect(spec.securityContext).toEqual({
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      });
    const checkingContent = { runAsUser: 65_533, runAsGroup: 65_533 };
    const withUsers = of(byPlatform).map(({ component, spec }) => ({
      component,
      spec: {
        ...spec,
        ...(spec.initContainers && {
          initContainers: spec.initContainers.map((one) =>
            one.name === 'content'
              ? { ...one, securityContext: { ...one.securityContext, ...checkingContent } }
              : one,
          ),
        }),
        securityContext: { ...spec.securityContext, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 },
      },
    }));
    expect(withUsers).toEqual(of(byChart));
  });

  it('starts sidecars before the process and its init containers, with the same restrictions', async () => {
    const all = serving(podsIn(await helm.render(EVERYTHING)));
    expect(all.length).toBeGreaterThan(6);
    for (const { spec, component } of all) {
      const waits = component === 'console' ? [] : ['wait-for-migrations'];
      if (component === 'scanner') waits.push('content');
      expect(spec.initContainers?.map(({ name }) => name)).toEqual([SIDECAR.name, ...waits]);
      const [process] = spec.containers;
      expect(spec.initContainers?.[0]).toEqual({
        ...SIDECAR,
        restartPolicy: 'Always',
        securityContext: { ...process?.securityContext, ...SIDECAR.securityContext },
      });
    }
  });

  it('adds volumes, mounts and variables to every process but no Job', async () => {
    const all = podsIn(await helm.render(EVERYTHING));
    for (const { spec, component } of all) {
      const isJob = RUN_TO_THEIR_END.includes(component);
      const [process] = spec.containers;
      expect([component, spec.volumes?.some(({ name }) => name === 'shared') ?? false]).toEqual([
        component,
        !isJob,
      ]);
      expect(process?.volumeMounts?.filter(({ mountPath }) => mountPath.startsWith('/mnt/'))).toEqual(
        isJob ? [] : [{ name: 'authorities', mountPath: '/mnt/authorities', readOnly: true }],
      );
      expect(process?.envFrom).toEqual(
        isJob
          ? undefined
          : [
              { prefix: 'OTEL_', secretRef: { name: 'tracing' } },
              { prefix: 'OTEL_RESOURCE_', configMapRef: { name: 'place', optional: true } },
            ],
      );
    }
  });

  it('labels and annotates pods, Services and service accounts, for Jobs too', async () => {
    const objects = await helm.render(EVERYTHING);
    for (const { labels } of podsIn(objects)) expect(labels.team).toBe('leads');
    const accounts = ofKind(objects, 'ServiceAccount').map(({ metadata }) =>
      Object.keys(metadata.annotations ?? {}).join(),
    );
    expect(accounts.filter((keys) => keys === 'example/of')).toHaveLength(2);
    expect(accounts.filter((keys) => keys === 'eks.amazonaws.com/role-arn')).toHaveLength(9);
    const annotated = ofKind(objects, 'Service').filter(
      ({ metadata }) => metadata.annotations?.['cloud.google.com/backend-config'] === '{"default":"leads"}',
    );
    expect(annotated).toHaveLength(9);
  });

  it("lets a Service's own annotations override the common ones of gateways", async () => {
    const objects = await helm.render(
      withValues(
        PRODUCTION,
        'service.annotations={"a.example/x":"all","a.example/y":"all"}',
        'processes.gateway.serviceAnnotations={"a.example/x":"own"}',
      ),
    );
    const of = (name: string) =>
      ofKind(objects, 'Service').find(({ metadata }) => metadata.name.endsWith(name))?.metadata.annotations;
    expect(of('gateway-sandbox')).toEqual({ 'a.example/x': 'own', 'a.example/y': 'all' });
    expect(of('-account')).toBeUndefined();
  });

  it('moves Jobs to dedicated nodes', async () => {
    const jobs = podsIn(await helm.render(EVERYTHING)).filter(({ component }) =>
      RUN_TO_THEIR_END.includes(component),
    );
    expect(jobs.length).toBeGreaterThan(10);
    for (const { spec } of jobs)
      expect(spec).toMatchObject({
        nodeSelector: { pool: 'jobs' },
        tolerations: [{ key: 'spot', operator: 'Exists' }],
      });
  });

  // Each would undo a restriction of the chart or break a pod that it creates.
  it.each([
    [
      'variables of any name from a Secret',
      'defaults.extraEnvFrom=[{"secretRef":{"name":"any"}}]',
      "at '/defaults/extraEnvFrom/0': missing property 'prefix'",
    ],
    [
      'settings of the process from a Secret',
      'defaults.extraEnvFrom=[{"prefix":"SSS_","secretRef":{"name":"any"}}]',
      "at '/defaults/extraEnvFrom/0/prefix': 'SSS_' does not match pattern",
    ],
    [
      'Node flags from a ConfigMap',
      'processes.webhook.extraEnvFrom=[{"prefix":"NODE_","configMapRef":{"name":"any"}}]',
      "at '/processes/webhook/extraEnvFrom/0/prefix'",
    ],
    [
      'a folder of the node',
      'defaults.extraVolumes=[{"name":"x","hostPath":{"path":"/"}}]',
      "at '/defaults/extraVolumes/0': additional properties 'hostPath' not allowed",
    ],
    [
      'a volume by a name of the chart',
      'defaults.extraVolumes=[{"name":"tls","emptyDir":{}}]',
      'defaults.extraVolumes.0.name: another name than tls',
    ],
    [
      'a volume of two kinds',
      'defaults.extraVolumes=[{"name":"x","emptyDir":{},"secret":{"secretName":"y"}}]',
      '/defaults/extraVolumes/0',
    ],
    [
      'a mount over the program',
      `defaults={"extraVolumes":[${VOLUME}],"extraVolumeMounts":[{"name":"extra","mountPath":"/app"}]}`,
      '/defaults/extraVolumeMounts/0/mountPath',
    ],
    [
      'a mount that leaves its volume',
      `defaults={"extraVolumes":[${VOLUME}],"extraVolumeMounts":[{"name":"extra","mountPath":"/mnt/../app"}]}`,
      '/defaults/extraVolumeMounts/0/mountPath',
    ],
    [
      'a mount of a missing volume',
      'processes.account.extraVolumeMounts=[{"name":"extra","mountPath":"/mnt/extra"}]',
      'processes.account.extraVolumeMounts: a volume of extraVolumes in place of extra',
    ],
    [
      'one name for two volumes',
      `defaults.extraVolumes=[${VOLUME},${VOLUME}]`,
      'defaults.extraVolumes: a unique name',
    ],
    [
      'a sidecar with the keys of the process',
      sidecarWith({ volumeMounts: [{ name: 'key-ring', mountPath: '/keys' }] }),
      'defaults.sidecars: a volume of extraVolumes in place of key-ring',
    ],
    ['a sidecar that runs as root', sidecarWith({ securityContext: { runAsUser: 0 } }), '/runAsUser'],
    [
      'a sidecar with privileges',
      sidecarWith({ securityContext: { privileged: true } }),
      "'privileged' not allowed",
    ],
    [
      'a sidecar without limits',
      sidecarWith({ resources: {} }),
      "at '/defaults/sidecars/0/resources': missing properties 'requests', 'limits'",
    ],
    [
      'a sidecar on a port of the process',
      sidecarWith({ ports: [{ containerPort: 9090 }] }),
      'defaults.sidecars.0.ports: another name and number',
    ],
    [
      'a label that the chart selects by',
      'defaults.podLabels={"app.kubernetes.io/component":"account"}',
      '/defaults/podLabels/app.kubernetes.io~1component',
    ],
    [
      'an annotation that restarts pods when issuers change',
      'defaults.podAnnotations={"checksum/issuers":"x"}',
      '/defaults/podAnnotations/checksum~1issuers',
    ],
    [
      'a minimum number of zones without effect',
      'defaults.topologySpreadConstraints=[{"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway","minDomains":3}]',
      '/defaults/topologySpreadConstraints/0/whenUnsatisfiable',
    ],
  ])('rejects %s', async (_, set, message) => {
    expect(await refusal(set)).toContain(message);
  });

  it('rejects throw-away stores if the platform assigns the users', async () => {
    const { ok, output } = await helm.template(withValues(KIND, 'security.assignedByPlatform=true'));
    expect(ok).toBe(false);
    expect(output).toContain('security.assignedByPlatform: false where throwAway.enabled is true');
  });
});
