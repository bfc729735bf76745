import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { REQUIRE } from '../../../deploy/images/bundle.ts';
import { reasonOf } from '../../../deploy/local/terminal.ts';
import type { Cluster } from '../cluster.ts';
import { CLIENT_LABELS, NAMESPACE } from '../installation.ts';
import type { Client } from './client-process.ts';

const PROCESS = join(import.meta.dirname, 'client-process.ts');
const METHODS = ['begin', 'mainJob', 'startLoad', 'stopLoad', 'nothingLost', 'certificateAt'] as const;
const NAME = 'trial-client';

/**
 * Starts suppliers and staff: for a local node, as a process on this machine, in the node's network; otherwise as a pod
 * of `image`, which contains Node and is removed with its namespace.
 */
export async function openClient(cluster: Cluster, image: string): Promise<Client> {
  if (cluster.node) return startClient([process.execPath, ...process.execArgv, PROCESS]);
  await build({
    entryPoints: [PROCESS],
    outfile: join(cluster.folder, 'client.mjs'),
    ...{ bundle: true, minify: true, platform: 'node', format: 'esm', target: 'node24' },
    banner: { js: REQUIRE },
  });
  const pod = { metadata: { name: NAME, labels: CLIENT_LABELS }, spec: podSpec(image) };
  await cluster.api.post(`/api/v1/namespaces/${NAMESPACE}/pods`, pod);
  await cluster.shell(`
    kubectl wait -n ${NAMESPACE} pod/${NAME} --for=condition=Ready --timeout=120s
    kubectl exec -n ${NAMESPACE} --stdin ${NAME} -- \
      node -e 'process.stdin.pipe(fs.createWriteStream("/tmp/client.mjs"))' < client.mjs`);
  const exec = ['exec', '--namespace', NAMESPACE, '--stdin', NAME, '--', 'node', '/tmp/client.mjs'];
  return startClient([...cluster.command, ...exec]);
}

/** Starts client-process.ts, and calls its methods one after the other. A call rejects when the process has ended. */
function startClient([command, ...args]: readonly [string, ...string[]]): Client {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? `exit code ${code}`, reasonOf);
  // Calls of an ended process reject with the reason of its end.
  child.stdin.on('error', () => undefined);
  const outcomes = createInterface(child.stdout)[Symbol.asyncIterator]();
  const call = async (method: keyof Client, given: readonly unknown[]): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ method, args: given })}\n`);
    const { done, value } = await outcomes.next();
    if (done) throw new Error(`the client has ended: ${await ended}`);
    const { result, failed } = JSON.parse(value) as { result?: unknown; failed?: string };
    if (failed !== undefined) throw new Error(failed);
    return result;
  };
  const methods = METHODS.map((method) => [method, (...given: unknown[]) => call(method, given)]);
  return Object.fromEntries(methods) as Client;
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
      volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
    },
  ],
  volumes: [{ name: 'scratch', emptyDir: {} }],
});
