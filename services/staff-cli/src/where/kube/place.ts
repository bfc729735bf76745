import { createHash } from 'node:crypto';
import { CommandFailure, exitCodes } from '../../exit-codes.ts';
import type { ServiceName } from '../../services.ts';

/** A release of the chart in a cluster, as kubectl and Helm name it. */
export interface KubePlace {
  /** A context of kubectl. */
  readonly context: string;
  readonly namespace: string;
  readonly release: string;
}

export const DEFAULT_RELEASE = 'leads';
/** Names that Kubernetes and Helm accept. */
export const KUBE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
export const KUBE_RELEASE = /^[a-z0-9]([-.a-z0-9]{0,51}[a-z0-9])?$/;

/** The gRPC port of every service in the chart. */
export const RPC_PORT = 8443;
const CHART = 'supplier-submissions';
/** How the chart shortens names: longer ones are truncated and get a digest. */
const [LONGEST, KEPT, DIGITS] = [30, 24, 5];

/** Parses `--kube CONTEXT/NAMESPACE`. Throws CommandFailure. */
export function kubePlace(text: string, release: string = DEFAULT_RELEASE): KubePlace {
  // Context names may contain slashes, namespaces can't.
  const at = text.lastIndexOf('/');
  const [context, namespace] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (context === '' || !KUBE_NAME.test(namespace))
    throw new CommandFailure(
      exitCodes.usage,
      `--kube takes a context of kubectl and a namespace, such as kind-leads/leads, and not "${text}"`,
    );
  if (!KUBE_RELEASE.test(release))
    throw new CommandFailure(exitCodes.usage, `--kube-release takes the name of a release, not "${release}"`);
  return { context, namespace, release };
}

/**
 * Returns the Kubernetes Service of a service, as the chart names it
 * (charts/supplier-submissions/templates/_names.tpl).
 */
export function kubeService({ release }: KubePlace, service: ServiceName): string {
  const name = release.includes(CHART) ? release : `${release}-${CHART}`;
  return `${name.length > LONGEST ? shortened(name) : name}-${service}`;
}

function shortened(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGITS);
  return `${name.slice(0, KEPT).replace(/-$/, '')}-${digest}`;
}

/** Returns the host name in a service's certificate. */
export const kubeHost = (place: KubePlace, service: ServiceName): string =>
  `${kubeService(place, service)}.${place.namespace}.svc`;
