import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_MS, obtain, programOf } from '../../../charts/tests/obtain-helm.ts';
import { waitUntil } from '../../local/wait-until.ts';
import { helmRelease, type Values } from '../helm.ts';
import { workloadsOf } from '../scenario/workloads.ts';
import { isBuilt, obtainControlPlane } from './obtain.ts';
import { type ControlPlane, startControlPlane } from './start.ts';

// A whole control plane is started.
import.meta.jest.setTimeout(240_000);

const CHART = join(import.meta.dirname, '../../../charts/supplier-submissions');
const file = (name: string) => join(CHART, name);
const PODS_MS = 60_000;

/** What the chart ships, as far as a bare cluster has the kinds for it. */
const INSTALLS: readonly [string, Values][] = [
  [
    'kind',
    { files: [file('values-kind.yaml')], set: { serviceTokens: { jwks: { keys: [{ kty: 'RSA' }] } } } },
  ],
  [
    'production',
    {
      files: [file('values-production.yaml')],
      set: { tls: { mode: 'secrets' }, defaults: { autoscaling: { enabled: true } } },
    },
  ],
  [
    'documents on disk',
    {
      files: [file('values-production.yaml')],
      set: {
        tls: { mode: 'secrets' },
        documents: { store: 'disk', disk: { uploadUrl: 'https://uploads.example' } },
        ingress: { uploads: { host: 'uploads.example', tlsSecret: 'uploads-tls' } },
        migrations: { mode: 'none' },
      },
    },
  ],
];

// Building takes too long for a test; .ci/run builds it before.
const runs = isBuilt() || process.env.CI === 'true';
if (!runs)
  console.warn('skipped: the control plane is not built; deploy/cluster/control-plane/obtain.ts does it');
const declare = runs ? describe : describe.skip;

declare('a control plane', () => {
  let folder = '';
  let plane: ControlPlane;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
    await obtain(4);
    plane = await startControlPlane(await obtainControlPlane(), folder);
  }, BUILD_MS);
  afterAll(async () => {
    await plane.stop();
    rmSync(folder, { recursive: true });
  });

  const makeNamespace = (name: string) =>
    plane.api.post('/api/v1/namespaces', {
      metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });

  it('holds pods to the restricted standard where a namespace asks for it', async () => {
    await makeNamespace('guarded');
    const pod = {
      metadata: { name: 'privileged' },
      spec: { containers: [{ name: 'a', image: 'a', securityContext: { privileged: true } }] },
    };
    const refused = await plane.api.request('POST', '/api/v1/namespaces/guarded/pods', pod);
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('PodSecurity') });
  });

  it.each(INSTALLS)(
    'takes every object of the chart, and makes all of its pods: %s',
    async (name, values) => {
      const namespace = `install-${name.replaceAll(' ', '-')}`;
      await makeNamespace(namespace);
      const program = programOf(4);
      const { kubeconfig, api } = plane;
      const home = join(folder, namespace);
      const release = helmRelease({ program, kubeconfig, namespace, release: 'leads', home });
      await release.apply('install', CHART, values, undefined);

      const workloads = workloadsOf(api, namespace);
      const [deployments, jobs] = [await workloads.deployments(), await workloads.jobs()];
      const wanted = deployments.reduce((sum, { spec }) => sum + spec.replicas, jobs.length);
      expect(deployments.length).toBeGreaterThan(6);
      const made = await waitUntil(
        async () => {
          const { length } = await workloads.pods();
          return length === wanted ? length : undefined;
        },
        { withinMs: PODS_MS, everyMs: 200 },
      );
      const events = await api.get<{ items: { reason: string; message: string }[] }>(
        `/api/v1/namespaces/${namespace}/events`,
      );
      expect(
        events.items.filter(({ reason }) => reason === 'FailedCreate').map(({ message }) => message),
      ).toEqual([]);
      expect(made).toBe(wanted);

      await release.uninstall(undefined);
      expect(await workloads.deployments()).toEqual([]);
    },
  );
});
