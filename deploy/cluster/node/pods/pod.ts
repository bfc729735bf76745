import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, ApiError } from '../api/api.ts';
import type { Claim, Container, Pod } from '../api/objects.ts';
import type { PodNetwork, PodNetworks } from '../network/pod-network.ts';
import type { ImageFiles } from '../options.ts';
import { makeVolumes, type PodVolumes } from '../volumes/volumes.ts';
import { containerOf, type RunningContainer } from './container.ts';
import { planProcess } from './container-plan.ts';
import { type ContainerProcess, startProcess } from './container-process.ts';
import type { PodFacts } from './pod-fields.ts';
import type { Sources } from './sources.ts';
import { podStatus } from './status.ts';
import { statusReporter } from './status-reporter.ts';

const RETRY_MS = 1_000;
const LOOK_AT_TOKENS_MS = 10_000;
const NOT_FOUND = 404;
const CONFLICT = 409;

/** What the pods of a node share. */
export interface PodHost {
  readonly api: Api;
  readonly sources: Sources;
  readonly networks: PodNetworks;
  readonly images: ReadonlyMap<string, ImageFiles>;
  readonly facts: Omit<PodFacts, 'podIp'>;
  readonly apiServer: { readonly host: string; readonly port: number };
  /** Where pods have their files. */
  readonly folder: string;
  /** The file that a container writes to. */
  logOf(pod: Pod, container: string): string;
  claimFolder(claim: Claim): Promise<string>;
  /** Told of each pod that has an address. */
  hasAddress(address: string, pod: Pod): void;
  log(line: string): void;
}

export interface RunningPod {
  /** The object has changed: it may be told to end, or to end sooner. */
  update(pod: Pod): void;
  /** A Secret or ConfigMap of its namespace has changed. */
  sourcesChanged(): void;
  /** Its object is gone, or the node stops: ends it by force and reports nothing more. Resolves when nothing of it is left. */
  abandon(): Promise<void>;
}

/** Runs a pod from its first container to the removal of its object. */
export function runPod(host: PodHost, first: Pod): RunningPod {
  const { api } = host;
  const { metadata, spec } = first;
  const folder = join(host.folder, metadata.uid);
  const log = (line: string) => host.log(`${metadata.namespace}/${metadata.name}: ${line}`);
  const startedAt = new Date().toISOString();
  const stopping = new AbortController();
  const abandoned = new AbortController();
  let pod = first;
  let network: PodNetwork | undefined;
  let volumes: PodVolumes | undefined;
  let final = false;
  let before = first.status?.conditions ?? [];

  const reporter = statusReporter(api, first, report, abandoned.signal);
  const initContainers = (spec.initContainers ?? []).map((each) => build(each, 'init'));
  const containers = spec.containers.map((each) => build(each, 'app'));
  const all = [...initContainers, ...containers];

  function build(container: Container, kind: 'init' | 'app'): RunningContainer {
    return containerOf({
      ...{ pod: first, container, kind, stopping: stopping.signal, log },
      address: () => network?.address ?? '',
      start: () => start(container),
      changed: () => reporter.changed(),
    });
  }

  function report() {
    const statuses = (of: readonly RunningContainer[]) => of.map(({ status }) => status);
    const status = podStatus({
      ...{ pod, startedAt, before, final, podIp: network?.address, hostIp: host.facts.hostIp },
      ...{ initContainers: statuses(initContainers), containers: statuses(containers) },
      now: new Date().toISOString(),
    });
    before = status.conditions ?? [];
    return status;
  }

  async function start(container: Container): Promise<ContainerProcess> {
    if (!network || !volumes)
      throw new Error(`cannot start container ${container.name}: its pod has no network or volumes yet`);
    const logFile = host.logOf(first, container.name);
    const { images, sources, apiServer, facts } = host;
    const plan = await planProcess({
      ...{ pod, container, images, sources, apiServer, volumes: volumes.folders, pause: network.pause },
      facts: { ...facts, podIp: network.address },
      ...{ folder: join(folder, 'roots', container.name), log: logFile },
    });
    return startProcess(plan);
  }

  /** Tries until it works or the pod is stopped. */
  async function persist<T>(what: string, attempt: () => Promise<T>): Promise<T | undefined> {
    while (!stopping.signal.aborted) {
      try {
        return await attempt();
      } catch (error) {
        log(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        await pause(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async function runContainers(): Promise<void> {
    network = await persist('network', () => host.networks.add(spec.hostname ?? metadata.name));
    if (!network) return;
    const { address } = network;
    host.hasAddress(address, first);
    const facts = { ...host.facts, podIp: address };
    const { sources, claimFolder } = host;
    const options = { pod: first, facts, api, sources, claimFolder, folder: join(folder, 'volumes') };
    volumes = await persist('volumes', () => makeVolumes(options));
    if (!volumes) return;
    for (const container of initContainers) if ((await container.run()) !== 0) return;
    await Promise.all(containers.map((container) => container.run()));
  }

  async function live(): Promise<void> {
    reporter.changed();
    const tokens = setInterval(renew, LOOK_AT_TOKENS_MS);
    await runContainers().catch((error) => log(`failed: ${error}`));
    clearInterval(tokens);
    volumes = undefined;
    final = true;
    reporter.changed();
    await reporter.settled();
    await network?.remove().catch((error) => log(`network: ${error}`));
    rmSync(folder, { recursive: true, force: true });
  }

  let refreshing = Promise.resolve();
  function refresh(): void {
    refreshing = refreshing.then(() => volumes?.refresh()).catch((error) => log(`volumes: ${error}`));
  }

  function renew(): void {
    const at = volumes?.renewAt();
    if (at !== undefined && at <= Date.now()) refresh();
  }

  /** The object goes once nothing of the pod runs any more. */
  async function remove(): Promise<void> {
    await lived;
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    const body = { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } };
    while (!abandoned.signal.aborted) {
      try {
        return await api.delete(path, body);
      } catch (error) {
        if (error instanceof ApiError && [NOT_FOUND, CONFLICT].includes(error.status)) return;
        log(`removal: ${error}`);
        await pause(RETRY_MS, undefined, { signal: abandoned.signal }).catch(() => undefined);
      }
    }
  }

  function end(graceMs: number): void {
    stopping.abort();
    for (const container of all) void container.end(graceMs);
  }

  const lived = live();
  let isRemoving = false;
  const running: RunningPod = {
    update(changed) {
      pod = changed;
      if (changed.metadata.deletionTimestamp === undefined) return;
      end((changed.metadata.deletionGracePeriodSeconds ?? 0) * 1000);
      if (isRemoving) return;
      isRemoving = true;
      void remove();
    },
    sourcesChanged: refresh,
    async abandon() {
      abandoned.abort();
      end(0);
      await lived;
    },
  };
  running.update(first);
  return running;
}
