import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, Pod } from '../api/objects.ts';
import type { ImageFiles } from '../options.ts';
import { commandLine } from './command-line.ts';
import type { ProcessOptions } from './container-process.ts';
import { imageDirectory, imageMounts, type Mount, users } from './container-root.ts';
import { environmentOf, expand } from './environment.ts';
import { identityOf, privilegeFlags } from './identity.ts';
import type { PodFacts } from './pod-fields.ts';
import { CannotCreate, type Sources } from './sources.ts';

/** What pods are told to ask for names; the node answers there. */
const NAME_SERVER = '10.96.0.10';
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface PlanOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly images: ReadonlyMap<string, ImageFiles>;
  readonly sources: Sources;
  readonly facts: PodFacts;
  readonly apiServer: { readonly host: string; readonly port: number };
  /** Folders of the pod's volumes by name. */
  readonly volumes: ReadonlyMap<string, string>;
  /** Folder for what its root is made of. */
  readonly folder: string;
  readonly pause: number;
  readonly log: string;
}

/** How a container's process is started. Rejects with CannotCreate while something is not there. */
export async function planProcess(options: PlanOptions): Promise<ProcessOptions> {
  const { pod, container, images, folder, pause, log } = options;
  const image = images.get(container.image ?? '');
  if (!image) throw new CannotCreate('ErrImagePull', `the node has no image ${container.image}`);
  const variables = await environmentOf(options);
  const identity = identityOf(pod, container, image);
  return {
    root: {
      folder,
      mounts: [...imageMounts(image), ...volumeMounts(options, variables)],
      etc: { ...users(identity), ...names(options) },
      workingDirectory: container.workingDir ?? imageDirectory(image),
      readOnly: identity.readOnlyRoot,
    },
    ...{ pause, log, privileges: privilegeFlags(identity) },
    command: commandLine(container, image, variables),
    environment: { PATH: USUAL_PATH, ...image.environment, ...Object.fromEntries(variables) },
  };
}

function volumeMounts(options: PlanOptions, variables: ReadonlyMap<string, string>): Mount[] {
  const { pod, container, volumes } = options;
  return (container.volumeMounts ?? []).map(({ name, mountPath, subPath, subPathExpr, readOnly }) => {
    const volume = pod.spec.volumes?.find((each) => each.name === name);
    const folder = volumes.get(name);
    if (!volume || folder === undefined) throw new Error(`there is no volume ${name}`);
    const written = volume.emptyDir !== undefined || volume.persistentVolumeClaim !== undefined;
    const below = subPathExpr === undefined ? (subPath ?? '') : expand(subPathExpr, variables);
    const source = join(folder, below);
    if (written && !existsSync(source)) mkdirSync(source, { recursive: true });
    // What is made of objects is written by the node alone.
    return { source, target: mountPath, readOnly: !written || readOnly === true };
  });
}

/** How a container finds names: its own in a file, all others from the node. */
function names({ pod, facts }: PlanOptions): Record<string, string> {
  const { metadata, spec } = pod;
  const aliases = (spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => [ip, ...hostnames].join(' '));
  const search = [`${metadata.namespace}.svc.cluster.local`, 'svc.cluster.local', 'cluster.local'];
  return {
    hosts: [
      ...['127.0.0.1 localhost', '::1 localhost ip6-localhost ip6-loopback'],
      ...[`${facts.podIp} ${spec.hostname ?? metadata.name}`, ...aliases, ''],
    ].join('\n'),
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    'resolv.conf': `search ${search.join(' ')}\nnameserver ${NAME_SERVER}\noptions ndots:5\n`,
  };
}
