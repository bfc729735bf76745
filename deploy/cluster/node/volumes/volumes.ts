import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../api/api.ts';
import type { Claim, Pod, Volume, VolumeProjection } from '../api/objects.ts';
import type { PodFacts } from '../pods/pod-fields.ts';
import { MissingSource, type Sources } from '../pods/sources.ts';
import { type VolumeFile, writeAtomically } from './atomic-files.ts';
import { podTokens } from './pod-tokens.ts';
import { filesOf } from './projection.ts';

export interface VolumesOptions {
  readonly pod: Pod;
  readonly facts: PodFacts;
  readonly api: Api;
  readonly sources: Sources;
  /** Where those volumes lie that live as long as the pod. */
  readonly folder: string;
  /** The folder of a claim that is bound. */
  claimFolder(claim: Claim): Promise<string>;
}

export interface PodVolumes {
  /** The folder of each volume by its name. */
  readonly folders: ReadonlyMap<string, string>;
  /** Writes again what changed since; what is gone meanwhile stays as it was. */
  refresh(): Promise<void>;
  /** When tokens have to be renewed by `refresh`, in milliseconds since 1970. */
  renewAt(): number | undefined;
}

const DEFAULT_MODE = 0o644;
const TOKEN_MODE = 0o600;
const GROUP_READS = 0o440;
const SHARED_FOLDER = 0o2777;

/** Makes a pod's volumes. Rejects with MissingSource while something that they are made of is not there. */
export async function makeVolumes(options: VolumesOptions): Promise<PodVolumes> {
  const { pod, api } = options;
  const tokens = podTokens(api, pod);
  const group = pod.spec.securityContext?.fsGroup ?? 0;
  const tokenUser = soleUser(pod);
  const written = new Map<string, string>();
  const folders = new Map<string, string>();

  async function write(volume: Volume, sources: readonly VolumeProjection[], defaultMode: number) {
    const grouped = pod.spec.securityContext?.fsGroup !== undefined;
    const files = new Map<string, VolumeFile>();
    const context = { ...options, tokens, mode: defaultMode, tokenMode: TOKEN_MODE, tokenUser };
    for (const source of sources)
      for (const [path, file] of await filesOf(source, context))
        files.set(path, { ...file, mode: grouped ? file.mode | GROUP_READS : file.mode });
    const print = JSON.stringify(
      [...files].map(([path, { content, mode }]) => [path, content.toString('base64'), mode]),
    );
    if (written.get(volume.name) === print) return;
    writeAtomically(join(options.folder, volume.name), files, group);
    written.set(volume.name, print);
  }

  async function make(volume: Volume): Promise<string> {
    const folder = join(options.folder, volume.name);
    const projected = projectionOf(volume);
    if (projected) await write(volume, projected.sources, projected.mode);
    else if (volume.emptyDir) makeShared(folder, group);
    else if (volume.persistentVolumeClaim) return claimed(volume.persistentVolumeClaim.claimName);
    else
      throw new Error(
        `cannot make a volume that the node does not support: ${Object.keys(volume).filter((key) => key !== 'name')}`,
      );
    return folder;
  }

  async function claimed(name: string): Promise<string> {
    const { namespace } = pod.metadata;
    const claim = await api.get<Claim>(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`);
    if (claim.status?.phase !== 'Bound') throw new MissingSource(`claim ${name} is not bound yet`);
    const folder = await options.claimFolder(claim);
    makeShared(folder, group);
    return folder;
  }

  for (const volume of pod.spec.volumes ?? []) folders.set(volume.name, await make(volume));
  return {
    folders,
    renewAt: () => tokens.renewAt(),
    async refresh() {
      for (const volume of pod.spec.volumes ?? []) {
        const projected = projectionOf(volume);
        if (projected) await write(volume, projected.sources, projected.mode);
      }
    },
  };
}

/** What a volume is made of where it is made of objects; all kinds of it are one. */
function projectionOf(volume: Volume): { sources: readonly VolumeProjection[]; mode: number } | undefined {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (secret) {
    const { secretName, defaultMode, ...rest } = secret;
    return { sources: [{ secret: { name: secretName ?? '', ...rest } }], mode: defaultMode ?? DEFAULT_MODE };
  }
  if (configMap) return { sources: [{ configMap }], mode: configMap.defaultMode ?? DEFAULT_MODE };
  if (downwardAPI) return { sources: [{ downwardAPI }], mode: downwardAPI.defaultMode ?? DEFAULT_MODE };
  if (projected) return { sources: projected.sources ?? [], mode: projected.defaultMode ?? DEFAULT_MODE };
  return undefined;
}

function makeShared(folder: string, group: number): void {
  mkdirSync(folder, { recursive: true });
  chownSync(folder, 0, group);
  chmodSync(folder, SHARED_FOLDER);
}

/** The user that all containers run as; root where they differ. Tokens are that user's. */
function soleUser({ spec }: Pod): number {
  const users = new Set(
    [...(spec.initContainers ?? []), ...spec.containers].map(
      ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser ?? 0,
    ),
  );
  const [user = 0] = users;
  return users.size === 1 ? user : 0;
}
