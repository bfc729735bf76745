import type { Container, Pod } from '../api/objects.ts';
import type { ImageFiles } from '../options.ts';
import { CannotCreate } from './sources.ts';

/** As whom a container runs, and what it may do. */
export interface Identity {
  readonly user: number;
  readonly group: number;
  /** Further groups. */
  readonly groups: readonly number[];
  /** Of which it may have no others, in the words of setpriv. */
  readonly capabilities: readonly string[];
  readonly noNewPrivileges: boolean;
  readonly readOnlyRoot: boolean;
}

/** What container engines leave to root. */
const USUAL = (
  'chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod ' +
  'audit_write setfcap'
).split(' ');

/** A container's security context over the pod's over the image. Throws where it must not be root and would be. */
export function identityOf(pod: Pod, container: Container, image: ImageFiles): Identity {
  const ofPod = pod.spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const user = own.runAsUser ?? ofPod.runAsUser ?? image.user ?? 0;
  const group = own.runAsGroup ?? ofPod.runAsGroup ?? image.group ?? 0;
  if ((own.runAsNonRoot ?? ofPod.runAsNonRoot) && user === 0)
    throw new CannotCreate(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image will run as root',
    );
  const { fsGroup, supplementalGroups = [] } = ofPod;
  const { add = [], drop = [] } = own.capabilities ?? {};
  const dropped = new Set(drop.map(plain));
  const left = dropped.has('all') ? [] : USUAL.filter((each) => !dropped.has(each));
  return {
    user,
    group,
    groups: fsGroup === undefined ? supplementalGroups : [fsGroup, ...supplementalGroups],
    capabilities: [...left, ...add.map(plain)],
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    readOnlyRoot: own.readOnlyRootFilesystem ?? false,
  };
}

const plain = (capability: string) => capability.toLowerCase().replace(/^cap_/, '');

/** Flags of setpriv that make a process of root into this one. */
export function privilegeFlags({ user, group, groups, capabilities, noNewPrivileges }: Identity): string[] {
  return [
    `--reuid=${user}`,
    `--regid=${group}`,
    ...(groups.length > 0 ? [`--groups=${groups.join(',')}`] : ['--clear-groups']),
    '--inh-caps=-all',
    `--bounding-set=${['-all', ...capabilities.map((each) => `+${each}`)].join(',')}`,
    ...(noNewPrivileges ? ['--no-new-privs'] : []),
  ];
}
