import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  CONSOLE,
  EVERYTHING,
  KIND,
  KIND_WITH_CONSOLE,
  PRODUCTION,
  WITH_CONSOLE,
  withValues,
} from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { type KubernetesObject, ofKind, podsIn } from './objects.ts';

const OWN = /-console(?:-tls)?$/;
const kindsOf = (objects: readonly KubernetesObject[]) =>
  objects.flatMap(({ kind, metadata }) => (OWN.test(metadata.name) ? [kind] : [])).sort();
const COMMON = ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];

describeWithHelm('the console', 4, (helm) => {
  it('has no objects when it is off', async () => {
    for (const values of [KIND, PRODUCTION]) {
      const objects = await helm.render(values);
      expect(kindsOf(objects)).toEqual([]);
      const text = objects.map((object) => JSON.stringify(object));
      const named = text.filter((one) => /"console"|-console[":.]/.test(one));
      expect(named.map((one) => one.slice(0, 200))).toEqual([]);
    }
  });

  it('is enabled by the values in install.md on top of the production values', async () => {
    const page = readFileSync(join(CHART, '..', '..', 'docs', 'install.md'), 'utf8');
    const [, yaml = ''] = /```yaml\n(console:\n[^`]*)```/.exec(page) ?? [];
    const { console, ingress } = parse(yaml) as { console: object; ingress: { console: object } };
    const said = withValues(
      PRODUCTION,
      `console=${JSON.stringify(console)}`,
      `ingress.console=${JSON.stringify(ingress.console)}`,
    );
    expect(kindsOf(await helm.render(said))).toEqual(['Certificate', 'Ingress', ...COMMON].sort());
  });

  it('creates these objects when it is on, with a certificate like every process', async () => {
    expect(kindsOf(await helm.render(WITH_CONSOLE))).toEqual(['Certificate', ...COMMON].sort());
    expect(kindsOf(await helm.render(KIND_WITH_CONSOLE))).toEqual([...COMMON, 'Secret'].sort());
  });

  it('changes only the network policies of the other processes', async () => {
    const others = async (values: typeof PRODUCTION) =>
      (await helm.render(values)).filter(
        ({ kind, metadata }) => !OWN.test(metadata.name) && kind !== 'NetworkPolicy',
      );
    expect(await others(WITH_CONSOLE)).toEqual(await others(PRODUCTION));
  });

  it('runs as a single pod unless sessions are shared, because it holds them', async () => {
    const objects = await helm.render(EVERYTHING);
    const [deployment] = ofKind(objects, 'Deployment').filter(({ metadata }) => OWN.test(metadata.name));
    expect(deployment?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const scaled = ofKind(objects, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name);
    expect(scaled.length).toBeGreaterThan(2);
    expect(scaled.filter((name) => OWN.test(name))).toEqual([]);
  });

  it('runs as several pods with shared sessions, which have a database and a key ring', async () => {
    const shared = { ...CONSOLE, sharedSessions: true };
    const objects = await helm.render(withValues(WITH_CONSOLE, `console=${JSON.stringify(shared)}`));
    const [deployment] = ofKind(objects, 'Deployment').filter(({ metadata }) => OWN.test(metadata.name));
    expect(deployment?.spec).toMatchObject({ replicas: 3, strategy: { type: 'RollingUpdate' } });
    const [pod] = podsIn(objects).filter(({ component }) => component === 'console');
    expect(pod?.spec.volumes?.map(({ name }) => name)).toContain('key-ring');
    const values = (pod?.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(values)).toMatchObject({
      SSS_SESSIONS_DATABASE_URL: expect.stringContaining('postgres://sessions_runtime@'),
      SSS_KEY_RING_FILE: '/etc/supplier-submissions/key-ring/ring.json',
    });
    const jobs = ofKind(objects, 'Job').map(({ metadata }) => metadata.name);
    expect(jobs.filter((name) => name.includes('migrate-sessions'))).toHaveLength(1);
    const own = ofKind(objects, 'NetworkPolicy').find(({ metadata }) => OWN.test(metadata.name));
    expect(JSON.stringify(own)).toContain('5432');
  });

  it('accepts replicas only with shared sessions', async () => {
    const replicas = 'processes.console.replicas=4';
    await expect(helm.render(withValues(WITH_CONSOLE, replicas))).rejects.toThrow('console.sharedSessions');
    const shared = `console=${JSON.stringify({ ...CONSOLE, sharedSessions: true })}`;
    const objects = await helm.render(withValues(WITH_CONSOLE, shared, replicas));
    const [deployment] = ofKind(objects, 'Deployment').filter(({ metadata }) => OWN.test(metadata.name));
    expect(deployment?.spec).toMatchObject({ replicas: 4 });
  });

  it('mounts its client secret as a file, without stores, keys or a service token', async () => {
    const [pod] = podsIn(await helm.render(EVERYTHING)).filter(({ component }) => component === 'console');
    const volumes = pod?.spec.volumes?.map(({ name, secret }) => [name, secret?.secretName]);
    expect(volumes).toEqual([
      ['tls', 'leads-supplier-submissions-console-tls'],
      ['oidc-client', 'console-client'],
      ['authorities', undefined],
      ['shared', undefined],
      ['scratch', undefined],
    ]);
    const names = (pod?.spec.containers[0]?.env ?? []).map(({ name }) => name);
    expect(names.filter((name) => /DATABASE|PGPASSWORD|NATS|TOKEN|ISSUERS_FILE|KEY_RING/.test(name))).toEqual(
      [],
    );
    const [publicClient] = podsIn(await helm.render(KIND_WITH_CONSOLE)).filter(
      ({ component }) => component === 'console',
    );
    expect(JSON.stringify(publicClient)).not.toContain('oidc-client');
  });

  it('has install notes that warn it is as public as its route, and name the values that restrict it', async () => {
    const warning = /Anyone who can reach this address sees the login page\. .*/;
    const [sentence = ''] = warning.exec(await helm.notes(WITH_CONSOLE)) ?? [];
    const { ingress, httpRoute, networkPolicies } = parse(
      readFileSync(join(CHART, 'values.yaml'), 'utf8'),
    ) as Record<string, Record<string, Record<string, unknown>>>;
    for (const [name, values, keys] of [
      ['ingress.console', ingress?.console, ['className', 'annotations']],
      ['httpRoute.console', httpRoute?.console, ['parentRefs']],
      ['networkPolicies.from.console', networkPolicies?.from, ['console']],
    ] as const) {
      expect(sentence).toContain(name);
      expect(Object.keys(values ?? {})).toEqual(expect.arrayContaining([...keys]));
    }
    expect(await helm.notes(PRODUCTION)).not.toMatch(warning);
  });

  const { oidc } = CONSOLE;
  it.each([
    [
      'none of its settings',
      ['console={"enabled":true}'],
      ['console.url: the https', 'console.oidc.issuer: the https', 'console.oidc.clientId: the console'],
    ],
    ['a plain address', ['console.url="http://console.leads.example"'], ['console.url: an https address']],
    [
      'a plain address on localhost',
      ['console.url="http://localhost:8083"'],
      ['console.url: an https address'],
    ],
    ['an address with a path', ['console.url="https://leads.example/console"'], ["at '/console/url'"]],
    [
      'a plain identity provider',
      ['console.oidc.issuer="http://login.example"'],
      ["at '/console/oidc/issuer'"],
    ],
    ['scopes without openid', ['console.oidc.scopes="profile"'], ["at '/console/oidc/scopes'"]],
    ['sessions that never end', ['console.sessionMinutes=0'], ["at '/console/sessionMinutes'"]],
    ['an issuer that no service trusts', ['staffIssuers=[]'], ['staffIssuers: the issuer of the tokens']],
    [
      'a claim that the services do not read',
      [`console.oidc=${JSON.stringify({ ...oidc, roleClaim: 'roles' })}`],
      ['console.oidc.roleClaim: groups, which'],
    ],
    [
      'an Ingress for another host',
      ['ingress.console={"host":"other.example","tlsSecret":"a"}'],
      ['ingress.console.host: the host of console.url, console.leads.example'],
    ],
    [
      'an Ingress without its certificate',
      ['ingress.console.host="console.leads.example"'],
      ['ingress.console.tlsSecret: a Secret'],
    ],
    [
      'two pods',
      ['processes.console.replicas=2'],
      ['processes.console.replicas: not set; the console is one pod'],
    ],
    ['an unknown setting', ['processes.console.settings={"workPool":8}'], ["'workPool' not allowed"]],
  ])('is rejected with %s', async (_, set, messages) => {
    const { ok, output } = await helm.template(withValues(WITH_CONSOLE, ...set));
    expect(ok).toBe(false);
    for (const message of messages) expect(output).toContain(message);
  });

  it('allows http only on localhost', async () => {
    const { ok, output } = await helm.template(
      withValues(KIND_WITH_CONSOLE, 'console.url="http://console.example"'),
    );
    expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining('console.url: an https') });
  });
});
