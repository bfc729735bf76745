import { join } from 'node:path';
import { build } from 'esbuild';
import type { Cluster } from '../../../deploy/cluster/cluster.ts';
import { REQUIRE } from '../../../deploy/images/bundle.ts';
import { CLIENT_LABELS, NAMESPACE } from '../installation.ts';
import { startClient } from './client.ts';

const PROCESS = join(import.meta.dirname, 'client-process.ts');
const NAME = 'trial-client';

/**
 * Starts a client: for a local node, as a process on this machine, in the node's network; otherwise as a pod of
 * `image`, which contains Node and is removed with its namespace.
 */
export async function openClient(cluster: Cluster, image: string) {
  if (cluster.node) return startClient([process.execPath, ...process.execArgv, PROCESS]);
  const { outputFiles } = await build({
    entryPoints: [PROCESS],
    ...{ bundle: true, write: false, minify: true, platform: 'node', format: 'esm', target: 'node24' },
    banner: { js: REQUIRE },
  });
  const path = `/api/v1/namespaces/${NAMESPACE}`;
  const metadata = { name: NAME, labels: CLIENT_LABELS };
  const data = { 'client.mjs': outputFiles[0]?.text ?? '' };
  await cluster.api.post(`${path}/configmaps`, { metadata, data });
  await cluster.api.post(`${path}/pods`, { metadata, spec: podSpec(image) });
  await cluster.shell(`kubectl wait -n ${NAMESPACE} pod/${NAME} --for=condition=Ready --timeout=120s`);
  const exec = ['exec', '--namespace', NAMESPACE, '--stdin', NAME, '--', 'node', '/client/client.mjs'];
  return startClient([...cluster.command, ...exec]);
}

const podSpec = (image: string) => ({
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 1,
  securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: NAME,
      image,
      command: ['node', '-e', 'setInterval(() => undefined, 60_000)'],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [
        { name: 'client', mountPath: '/client' },
        { name: 'scratch', mountPath: '/tmp' },
      ],
    },
  ],
  volumes: [
    { name: 'client', configMap: { name: NAME } },
    { name: 'scratch', emptyDir: {} },
  ],
});
