import { createHash } from 'node:crypto';
import { CommandFailure, exitCodes } from '../../exit-codes.ts';
import type { ServiceName } from '../../services.ts';

/** A release of the chart in a cluster, as kubectl and Helm name it. */
export interface KubeTarget {
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
export function parseKubeTarget(text: string, release: string = DEFAULT_RELEASE): KubeTarget {
  // Context names may contain slashes, namespaces can't.
  const at = text.lastIndexOf('/');
  const [context, namespace] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (context === '' || !KUBE_NAME.test(namespace))
    throw new CommandFailure(
      exitCodes.usage,
      `--kube must be a kubectl context and a namespace, such as kind-leads/leads, not "${text}"`,
    );
  if (!KUBE_RELEASE.test(release))
    throw new CommandFailure(
      exitCodes.usage,
      `--kube-release must be the name of a Helm release, not "${release}"`,
    );
  return { context, namespace, release };
}

/**
 * Returns the Kubernetes Service of a service, as the chart names it
 * (charts/supplier-submissions/templates/_names.tpl).
 */
export function kubeService({ release }: KubeTarget, service: ServiceName): string {
  const name = release.includes(CHART) ? release : `${release}-${CHART}`;
  return `${name.length > LONGEST ? shortened(name) : name}-${service}`;
}

function shortened(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGITS);
  return `${name.slice(0, KEPT).replace(/-$/, '')}-${digest}`;
}

/** Returns the host name in a service's certificate. */
export const kubeHost = (target: KubeTarget, service: ServiceName): string =>
  `${kubeService(target, service)}.${target.namespace}.svc`;
