import type { ICronJob } from 'kubernetes-models/batch/v1';
import { imageTargets } from '../../deploy/images/targets.ts';
import { EVERYTHING, KIND, PRODUCTION, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import {
  type Container,
  containersOf,
  ofKind,
  type Pod,
  plainVariables,
  podsIn,
  RUN_TO_THEIR_END,
} from './objects.ts';

const EXAMPLES = [
  ['kind', KIND],
  ['production', PRODUCTION],
  ['everything', EVERYTHING],
] as const;
/** Volume types that the restricted standard allows. */
const ADMITTED_VOLUMES = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'projected', 'secret'];

describeWithHelm('pods', 4, (helm) => {
  describe.each(EXAMPLES)('%s', (_, values) => {
    const pods = async () => podsIn(await helm.render(values));

    it('all comply with the restricted pod security standard', async () => {
      const all = await pods();
      expect(all.length).toBeGreaterThan(11);
      for (const pod of all) {
        const { spec, owner } = pod;
        const faults = [
          spec.hostNetwork || spec.hostPID || spec.hostIPC ? 'is on the host' : undefined,
          spec.securityContext?.runAsNonRoot === true ? undefined : 'may be root',
          spec.securityContext?.runAsUser ? undefined : 'is user 0, or whom the image says',
          spec.securityContext?.seccompProfile?.type === 'RuntimeDefault'
            ? undefined
            : 'has no seccomp profile',
          ...(spec.volumes ?? []).map((volume) => {
            const [kind] = Object.keys(volume).filter((key) => key !== 'name');
            return ADMITTED_VOLUMES.includes(kind ?? '') ? undefined : `has a volume of the kind ${kind}`;
          }),
          ...containersOf(pod).map(faultOf),
        ].filter((fault) => fault !== undefined);
        expect({ of: owner.metadata.name, faults }).toEqual({ of: owner.metadata.name, faults: [] });
      }
    });

    it('mount no API server token, and service accounts provide none', async () => {
      const objects = await helm.render(values);
      for (const { spec } of podsIn(objects)) expect(spec.automountServiceAccountToken).toBe(false);
      for (const account of ofKind(objects, 'ServiceAccount'))
        expect(account.automountServiceAccountToken).toBe(false);
      const names = ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name);
      const used = podsIn(objects).flatMap(({ spec }) => spec.serviceAccountName ?? []);
      expect(new Set(used)).toEqual(new Set(names));
    });

    it('have a memory limit, and a CPU request without a limit', async () => {
      for (const pod of await pods())
        for (const { resources } of containersOf(pod)) {
          expect(resources?.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
          expect(Object.keys(resources?.limits ?? {})).toEqual(['memory']);
        }
    });

    it('mount every file named by a setting, and every mount has a volume', async () => {
      for (const pod of await pods()) {
        const volumes = new Map((pod.spec.volumes ?? []).map((volume) => [volume.name, volume]));
        for (const container of containersOf(pod)) {
          const mounts = container.volumeMounts ?? [];
          expect(mounts.filter(({ name }) => !volumes.has(name))).toEqual([]);
          const files = Object.entries(plainVariables(container)).flatMap(([name, value]) => [
            ...(/_(FILE|DIR)$/.test(name) ? [value] : []),
            ...(/[?&]sslrootcert=([^&]+)/.exec(value)?.slice(1) ?? []),
          ]);
          const missing = files.filter((file) => !mounts.some((mount) => isIn(file, mount.mountPath)));
          expect({ of: pod.component, missing }).toEqual({ of: pod.component, missing: [] });
          for (const file of files) {
            const mount = mounts.find(({ mountPath }) => isIn(file, mountPath));
            const paths = filesOf(volumes.get(mount?.name ?? ''));
            if (paths) expect(paths).toContain(file.slice((mount?.mountPath.length ?? 0) + 1));
          }
        }
      }
    });

    it('mount a key ring in every service, and not in the scanner', async () => {
      const holders = (await pods())
        .filter(({ spec }) => spec.volumes?.some(({ name }) => name === 'key-ring'))
        .map(({ component }) => component);
      expect(holders.sort()).toEqual(['account', 'billing', 'document', 'submission', 'webhook']);
    });

    it('start every Node without a debugger that a signal opens', async () => {
      for (const pod of await pods())
        for (const { command = [], livenessProbe } of containersOf(pod))
          for (const line of [command, livenessProbe?.exec?.command ?? []])
            if (line[0] === 'node') expect(line).toContain('--disable-sigusr1');
    });

    it('check content beside the scanner as another user, without its files, variables and processes', async () => {
      const { spec } = (await pods()).find(({ component }) => component === 'scanner') ?? {};
      const content = spec?.initContainers?.find(({ name }) => name === 'content');
      const [scanner] = spec?.containers ?? [];
      expect(spec?.shareProcessNamespace).toBeUndefined();
      expect([content?.env, content?.envFrom]).toEqual([undefined, undefined]);
      expect(content?.securityContext?.runAsUser).toBe(65_533);
      expect(scanner?.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser).toBe(65_532);
      // A socket, which fills no disk.
      expect(content?.volumeMounts).toEqual([
        { name: 'content', mountPath: '/run/supplier-submissions/content' },
      ]);
      const volume = spec?.volumes?.find(({ name }) => name === 'content');
      expect(volume?.emptyDir).toEqual({ medium: 'Memory', sizeLimit: '1Mi' });
      const { SSS_CONTENT_SOCKET: socket } = plainVariables(scanner as Container);
      expect(content?.command?.slice(-2)).toEqual(['--socket', socket]);
      expect(content?.livenessProbe?.exec?.command).toEqual([...(content?.command ?? []), '--check']);
      expect(content?.image).toBe(scanner?.image);
    });

    it('contain no secret values outside of Secrets', async () => {
      const objects = await helm.render(values);
      const held = ofKind(objects, 'Secret').flatMap(({ data }) =>
        Object.entries(data as Record<string, string>)
          .filter(([key]) => !key.endsWith('.crt'))
          .flatMap(([, value]) => secretsIn(Buffer.from(value, 'base64').toString('utf8'))),
      );
      const shown = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'));
      expect(held.filter((secret) => shown.includes(secret))).toEqual([]);
      if (values !== KIND) expect(ofKind(objects, 'Secret')).toEqual([]);
      else expect(held.length).toBeGreaterThan(40);
    });
  });

  it('allow time to stop: the pause before SIGTERM, ten seconds for the process, and a margin', async () => {
    for (const { spec, component } of podsIn(await helm.render(PRODUCTION))) {
      if (RUN_TO_THEIR_END.includes(component)) continue;
      const pause = spec.containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(pause).toBeGreaterThanOrEqual(5);
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + 15);
    }
  });

  it('use only the private port for startup, liveness and readiness probes', async () => {
    for (const { spec, component } of podsIn(await helm.render(PRODUCTION))) {
      if (RUN_TO_THEIR_END.includes(component)) continue;
      const [container] = spec.containers;
      const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)).toEqual([
        { path: '/livez', port: 'private' },
        { path: '/livez', port: 'private' },
        { path: '/readyz', port: 'private' },
      ]);
      const port = container?.ports?.find(({ name }) => name === 'private')?.containerPort;
      expect(plainVariables(container as Container).SSS_PRIVATE_PORT).toBe(String(port));
    }
  });

  it('wait for the migrations of their database, with the image that contains them', async () => {
    const pods = podsIn(await helm.render(PRODUCTION));
    const waits = pods.flatMap(({ component, spec }) =>
      (spec.initContainers ?? [])
        .filter(({ name }) => name === 'wait-for-migrations')
        .map(({ image }) => [component, image?.replace(/.*supplier-submissions-|:.*/g, '')]),
    );
    const own = ['account', 'submission', 'document', 'billing', 'webhook'].map((name) => [name, name]);
    const others = [
      ['scanner', 'document'],
      ['gateway-production', 'gateway'],
      ['gateway-sandbox', 'gateway'],
    ];
    expect(waits.sort()).toEqual([...own, ...others].sort());
    const without = podsIn(await helm.render(withValues(PRODUCTION, 'migrations.wait=false')));
    expect(
      without.filter(({ component, spec }) =>
        spec.initContainers?.some(({ name }) => component !== 'migrations' && name !== 'content'),
      ),
    ).toEqual([]);
  });

  it('deny the content container the network with a profile of the nodes', async () => {
    const of = async (...set: string[]) => {
      const all = podsIn(await helm.render(withValues(PRODUCTION, ...set)));
      const pod = all.find(({ component }) => component === 'scanner');
      return pod && containersOf(pod).find(({ name }) => name === 'content')?.securityContext;
    };
    const { seccompProfile, ...others } = (await of('content.seccompProfile="sss/content.json"')) ?? {};
    expect(seccompProfile).toEqual({ type: 'Localhost', localhostProfile: 'sss/content.json' });
    expect(await of()).toEqual({ ...others, seccompProfile: { type: 'RuntimeDefault' } });
    const platform = await of('security.assignedByPlatform=true');
    expect([platform?.runAsUser, platform?.runAsGroup]).toEqual([undefined, undefined]);
  });

  it('migrate before an install or upgrade in hook mode, with a service account that exists by then', async () => {
    const objects = await helm.render(withValues(PRODUCTION, 'migrations.mode="hook"'));
    const hooks = objects.filter(({ metadata }) =>
      metadata.annotations?.['helm.sh/hook']?.includes('install'),
    );
    expect(hooks.map(({ kind }) => kind).sort()).toEqual([...Array(7).fill('Job'), 'ServiceAccount']);
    for (const { kind, metadata } of hooks) {
      const { 'helm.sh/hook-weight': weight, 'helm.sh/hook-delete-policy': policy } =
        metadata.annotations ?? {};
      expect([kind, weight]).toEqual(kind === 'Job' ? ['Job', '0'] : ['ServiceAccount', '-10']);
      // Hooks are not part of the release: an uninstall would leave them.
      expect(policy).toContain('hook-succeeded');
    }
  });

  it('run no migrations when disabled', async () => {
    const objects = await helm.render(withValues(PRODUCTION, 'migrations.mode="none"'));
    expect(ofKind(objects, 'Job')).toEqual([]);
    // The password of the tables' owner is not required either.
    expect(JSON.stringify(objects)).not.toContain('migrat');
  });

  it("verify each audit log daily, one at a time, with the service's runtime role", async () => {
    const objects = await helm.render(PRODUCTION);
    const audits = ofKind(objects, 'CronJob').filter(({ metadata }) => metadata.name.includes('-audit-'));
    const crons = audits.map(({ spec, metadata }) => ({
      name: metadata.name.replace('leads-supplier-submissions-audit-', ''),
      ...(spec as NonNullable<ICronJob['spec']>),
    }));
    const audited = imageTargets.filter(({ entries }) => entries.some(({ name }) => name === 'verify-audit'));
    expect(crons.map(({ name }) => name).sort()).toEqual(audited.map(({ name }) => name).sort());
    expect(new Set(crons.map(({ schedule }) => schedule)).size).toBe(crons.length);
    for (const { name, jobTemplate, ...cron } of crons) {
      expect(cron).toMatchObject({
        schedule: expect.stringMatching(/^\d+ \d+ \* \* \*$/),
        timeZone: 'Etc/UTC',
        concurrencyPolicy: 'Forbid',
      });
      expect(jobTemplate.spec).toMatchObject({ activeDeadlineSeconds: 3_600, backoffLimit: 1 });
      const [container] = jobTemplate.spec?.template.spec?.containers ?? [];
      expect(container?.image).toMatch(new RegExp(`supplier-submissions-${name}[:@]`));
      expect(container?.command).toEqual(expect.arrayContaining(['src/verify-audit.mjs', '--record']));
      const { username, searchParams } = new URL(
        plainVariables(container as Container).SSS_DATABASE_URL ?? '',
      );
      expect([username, searchParams.get('sslmode')]).toEqual([`${name}_runtime`, 'verify-full']);
    }
  });

  it('verify no audit log when disabled', async () => {
    const objects = await helm.render(withValues(PRODUCTION, 'auditVerification.enabled=false'));
    expect(ofKind(objects, 'CronJob').map(({ metadata }) => metadata.name)).toEqual([
      'leads-supplier-submissions-streams',
    ]);
    expect(JSON.stringify(objects)).not.toContain('audit-verification');
  });

  it('are replaced one at a time, spread, and protected from drains', async () => {
    const objects = await helm.render(PRODUCTION);
    const scaled = ofKind(objects, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name);
    for (const { metadata, spec } of ofKind(objects, 'Deployment')) {
      const { strategy, replicas } = spec as { strategy: unknown; replicas?: number };
      expect(strategy).toMatchObject({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
      // An autoscaler and a fixed number would override each other with every upgrade.
      expect(replicas).toBe(scaled.includes(metadata.name) ? undefined : 3);
    }
    expect(scaled).toEqual([
      'leads-supplier-submissions-gateway-production',
      'leads-supplier-submissions-gateway-sandbox',
    ]);
    const protectedOnes = ofKind(objects, 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(protectedOnes.sort()).toEqual(
      ofKind(objects, 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    );
  });

  it('have a fixed number unless an autoscaler or KEDA scales them', async () => {
    const keda = 'keda={"enabled":true,"prometheusUrl":"http://prometheus.example:9090"}';
    const objects = await helm.render(withValues(PRODUCTION, keda));
    const scaledBy = (kind: string) =>
      ofKind(objects, kind).map(
        ({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name,
      );
    const scaled = [...scaledBy('HorizontalPodAutoscaler'), ...scaledBy('ScaledObject')];
    const fixed = ofKind(objects, 'Deployment').filter(
      ({ spec }) => (spec as { replicas?: number }).replicas !== undefined,
    );
    expect([...scaled, ...fixed.map(({ metadata }) => metadata.name)].sort()).toEqual(
      ofKind(objects, 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    );
  });

  it("have the table owner's password only in Jobs that migrate", async () => {
    for (const pod of podsIn(await helm.render(PRODUCTION)))
      for (const { name, env = [] } of containersOf(pod)) {
        const passwords = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
        const ofOwner = passwords.filter(
          (one) => one.name?.endsWith('databases') && !one.key.endsWith('-runtime'),
        );
        const expected = pod.component === 'migrations' && name === 'migrate' ? 1 : 0;
        expect([pod.component, name, ofOwner.length]).toEqual([pod.component, name, expected]);
      }
  });

  it('require client certificates of their authority unless disabled', async () => {
    const asked = async (values: typeof PRODUCTION) =>
      podsIn(await helm.render(values))
        .flatMap(containersOf)
        .map((container) => plainVariables(container))
        .filter(({ SSS_RPC_PORT }) => SSS_RPC_PORT !== undefined)
        .map(({ SSS_TLS_CLIENT_CA_FILE }) => SSS_TLS_CLIENT_CA_FILE);
    const authority = '/etc/supplier-submissions/tls/ca.crt';
    expect(new Set(await asked(PRODUCTION))).toEqual(new Set([authority]));
    expect(new Set(await asked(KIND))).toEqual(new Set([authority]));
    expect(new Set(await asked(withValues(PRODUCTION, 'tls.clientCertificates=false')))).toEqual(
      new Set([undefined]),
    );
  });

  it('migrate as the schema owner and run as a different role', async () => {
    const user = (url: string | undefined) => new URL(url ?? '').username;
    for (const pod of podsIn(await helm.render(PRODUCTION))) {
      for (const container of containersOf(pod)) {
        const { SSS_DATABASE_URL: url } = plainVariables(container);
        if (url === undefined) continue;
        expect({ of: container.name, runtime: user(url).endsWith('_runtime') }).toEqual({
          of: container.name,
          runtime: container.name !== 'migrate',
        });
      }
    }
  });
});

function faultOf({ name, securityContext, command, args, image }: Container): string | undefined {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, runAsNonRoot, capabilities } =
    securityContext ?? {};
  if (allowPrivilegeEscalation !== false) return `${name} may gain privileges`;
  if (readOnlyRootFilesystem !== true) return `${name} may write to its image`;
  if (runAsNonRoot !== true) return `${name} may be root`;
  if (capabilities?.drop?.includes('ALL') !== true || capabilities.add) return `${name} has capabilities`;
  if (securityContext?.privileged) return `${name} is privileged`;
  // The images contain no shell.
  if ([...(command ?? []), ...(args ?? [])].some((word) => /^(?:\/bin\/)?(?:ba)?sh$/.test(word)))
    return `${name} runs a shell`;
  return image?.includes(':') ? undefined : `${name} has no version`;
}

type Volume = NonNullable<Pod['spec']['volumes']>[number];

const isIn = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`);

/** Returns the files of a volume that lists them; otherwise undefined. */
const filesOf = (volume: Volume | undefined): string[] | undefined =>
  volume?.secret?.items?.map(({ path }) => path);

/** Returns the long words of a secret, such as passwords and keys, regardless of their format. */
const secretsIn = (text: string) =>
  (text.match(/[A-Za-z0-9+/=]{24,}/g) ?? []).filter((word) => !/^[A-Z]+$/.test(word));
