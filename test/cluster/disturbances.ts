import type { Client } from './client/client-process.ts';
import type { Cluster } from './cluster.ts';
import { eventually, untilNone } from './eventually.ts';
import { hostOf, type Installation, NAMESPACE, nameOf } from './installation.ts';
import type { Node } from './node/node.ts';
import type { Pod } from './workloads.ts';

/** How long pods may take until everything has recovered. */
const SETTLED_MS = 240_000;
/** How long the kubelet may take to update a file, or to detect that a container isn't alive. */
const SEEN_MS = 120_000;
const GATEWAY = 'gateway-sandbox';
const IN = ['--namespace', NAMESPACE] as const;
/** Fills a container's memory with small processes, so that the kernel kills the first one, which is larger. */
const FILL_MEMORY = `fs.writeFileSync('/proc/1/oom_score_adj', '1000');
const part = 'const kept = Buffer.alloc(2 ** 24, 1); setTimeout(() => kept, 30_000);';
for (let count = 0; count < 20; count += 1) child_process.spawn('node', ['--eval', part]);`;

/** Returns the disturbances of pods, which affect one pod of each process at a time. There are two of each. */
export function disturbancesOf(
  { api, kubectl }: Cluster,
  installation: Installation,
  client: Client,
  /** The present values. */
  current: Readonly<Record<string, unknown>>,
) {
  const { workloads } = installation;
  const { settled } = workloads;
  const exec = (pod: Pod, script: string) =>
    kubectl('exec', ...IN, pod.metadata.name, '--', 'node', '--eval', script);
  const evict = ({ metadata: { name } }: Pod) =>
    api.request('POST', `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: NAMESPACE },
    });
  const startedAgain = async ({ metadata: { name }, status }: Pod) => {
    const before = status.containerStatuses?.[0]?.restartCount ?? 0;
    const found = await eventually(SEEN_MS, async () => {
      const pod = (await workloads.pods()).find(({ metadata }) => metadata.name === name);
      const container = pod?.status.containerStatuses?.[0];
      if (!container?.ready || container.restartCount <= before)
        throw new Error(`the container of ${name} was not restarted`);
      return container;
    });
    await settled();
    return found;
  };

  return {
    async lookedInto(): Promise<void> {
      const [pod] = await workloads.podsOf(GATEWAY);
      const user = (await exec(pod, 'console.log(process.getuid())')).trim();
      if (user !== '65532') throw new Error(`the process runs as user ${user}`);
      const written = (await exec(pod, WRITE)).trim();
      if (written !== 'EROFS') throw new Error(`a file of the image could be written: ${written}`);
      for (const program of ['sh', 'bash', 'npm', 'apt-get']) {
        const call = kubectl('exec', ...IN, pod.metadata.name, '--', program, '-c', 'true');
        if ((await call.catch(() => undefined)) !== undefined)
          throw new Error(`the image contains ${program}`);
      }
      const lines = (await kubectl('logs', ...IN, pod.metadata.name)).trim().split('\n');
      for (const line of lines) JSON.parse(line);
    },

    async evicted(): Promise<void> {
      const [first, second] = await workloads.podsOf(GATEWAY);
      if (!second) throw new Error('there is only one pod to evict');
      const answers = [(await evict(first)).status, (await evict(second)).status];
      if (`${answers}` !== '201,429') throw new Error(`two concurrent evictions returned ${answers}`);
      await settled();
    },

    async drained(): Promise<void> {
      const [{ spec }] = await workloads.podsOf(GATEWAY);
      const node = spec?.nodeName ?? '';
      const stores = ['postgresql', 'nats', 'clamd'].map((name) => `throw-away-${name}`).join(',');
      const ours = `app.kubernetes.io/name=supplier-submissions,app.kubernetes.io/component notin (${stores})`;
      const flags = ['--delete-emptydir-data', '--ignore-daemonsets', '--force', `--pod-selector=${ours}`];
      // On the only node, the last pods of all processes stay.
      await kubectl('drain', node, ...flags, '--timeout=15s').catch(() => undefined);
      await kubectl('uncordon', node);
      await settled();
    },

    async certificateRenewed(): Promise<void> {
      const shown = () => client.certificateAt(hostOf('submission'), 8443);
      const before = await shown();
      await kubectl('delete', 'secret', ...IN, `${nameOf('submission')}-tls`);
      const pods = (await workloads.podsOf('submission')).map(({ metadata }) => metadata.name);
      await installation.upgrade(current);
      await eventually(SEEN_MS, async () => {
        if ((await shown()) === before) throw new Error('the old certificate is still served');
      });
      const now = await workloads.podsOf('submission');
      if (!now.every(({ metadata }) => pods.includes(metadata.name))) throw new Error('pods were replaced');
    },

    async killed(): Promise<void> {
      const pods = await Promise.all(['submission', 'webhook'].map((name) => workloads.podsOf(name)));
      for (const [{ metadata }] of pods)
        await kubectl('delete', 'pod', ...IN, metadata.name, '--grace-period=0', '--force');
      await settled();
    },

    async outOfMemory(): Promise<void> {
      const [pod] = await workloads.podsOf(GATEWAY);
      await exec(pod, FILL_MEMORY).catch(() => undefined);
      const { lastState } = await startedAgain(pod);
      const reason = lastState.terminated?.reason;
      if (reason !== 'OOMKilled') throw new Error(`the container exited with ${reason}`);
    },

    async hanging(node: Node): Promise<void> {
      const [pod] = await workloads.podsOf('submission');
      process.kill(node.processOf(pod.status.containerStatuses?.[0]?.containerID ?? ''), 'SIGSTOP');
      await startedAgain(pod);
      const about = `involvedObject.name=${pod.metadata.name}`;
      const events = await kubectl('get', 'events', ...IN, '--field-selector', about);
      if (!events.includes('failed liveness probe'))
        throw new Error(`it was restarted for a different reason: ${events}`);
    },

    async rebooted(node: Node): Promise<void> {
      // A repair of the streams may run at any moment, and ends.
      const running = (await workloads.pods()).filter(
        ({ metadata, status }) =>
          status.phase === 'Running' && metadata.labels?.['app.kubernetes.io/component'] !== 'streams',
      );
      await node.reboot();
      await untilNone(SETTLED_MS, 'not recovered', async () => {
        const now = new Map((await workloads.pods()).map((pod) => [pod.metadata.name, pod]));
        const isBack = (before: Pod) => {
          const pod = now.get(before.metadata.name);
          const isReady = pod?.status.containerStatuses?.every(({ ready }) => ready);
          return pod && isReady && restarts(pod) > restarts(before);
        };
        return running.filter((pod) => !isBack(pod)).map(({ metadata }) => metadata.name);
      });
      await settled();
    },

    async databaseLost(): Promise<void> {
      const [{ metadata }] = await workloads.podsOf('throw-away-postgresql');
      const since = `--since-time=${new Date().toISOString()}`;
      await kubectl('delete', 'pod', ...IN, metadata.name, '--grace-period=0', '--force');
      const [{ metadata: migrations, status }] = await workloads.podsOf('throw-away-migrations');
      const databases = status.containerStatuses?.length;
      await eventually(SETTLED_MS, async () => {
        const log = await kubectl('logs', ...IN, migrations.name, '--all-containers', since);
        const services = new Set([...log.matchAll(/^(\w+): applied /gm)].map(([, service]) => service));
        if (services.size !== databases)
          throw new Error(`${services.size} of ${databases} databases were migrated again`);
      });
      // Readiness requires the schema.
      await settled();
    },
  };
}

const WRITE = `try { fs.writeFileSync('/app/written', ''); console.log('it could'); } catch (error) { console.log(error.code); }`;

const restarts = ({ status }: Pod) =>
  (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
