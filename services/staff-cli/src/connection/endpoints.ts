import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { type ServiceName, serviceNames } from '../services.ts';
import type { ContextEntry } from './context-schema.ts';
import { type KubeTarget, kubeHost, kubeService } from './kube/kube-target.ts';

/** TLS files for a service in PEM, and the server's name if it differs from its address. */
export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
}

export interface Endpoint {
  /** The address as shown to people. */
  readonly address: string;
  /** Undefined when kubectl forwards to the service, or no address is configured. */
  readonly url: string | undefined;
  readonly tls: Tls;
}
export type Endpoints = Readonly<Record<ServiceName, Endpoint>>;

export const forEachService = <T>(make: (service: ServiceName) => T): Record<ServiceName, T> =>
  Object.fromEntries(serviceNames.map((service) => [service, make(service)])) as Record<ServiceName, T>;

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/**
 * Returns the endpoints of a configured context, whose files are relative to `folder`. With `kube`, kubectl forwards to
 * the services and their addresses are ignored. Throws CommandFailure.
 */
export function endpointsOf(
  { url: ofAll, services, kube: own, ...all }: ContextEntry,
  folder: string,
  kube: KubeTarget | undefined,
): Endpoints {
  const read = (path: string | undefined) =>
    path === undefined ? undefined : readPem(resolve(folder, path));
  return forEachService((service) => {
    const one = services[service] ?? {};
    const nameOf = (text: string | undefined) => text?.replaceAll('{service}', service);
    const ca = read(one.authority ?? all.authority);
    const cert = read(one.certificate ?? all.certificate);
    const key = read(one.key ?? all.key);
    if ((cert === undefined) !== (key === undefined))
      throw new CommandFailure(
        exitCodes.usage,
        `the ${service} service has a client certificate without its key, or a key without a certificate: set both`,
      );
    // A server name configured for the service's own address doesn't apply in the cluster.
    const configured = kube && !own ? undefined : nameOf(one.serverName ?? all.serverName);
    const servername = configured ?? (kube && kubeHost(kube, service));
    const url = kube ? undefined : (one.url ?? nameOf(ofAll));
    if (url !== undefined) requireTls(service, url);
    return {
      address: kube ? forwardedAddress(kube, service) : (url ?? 'nowhere'),
      url,
      tls: {
        ...(ca && { ca }),
        ...(cert && { cert }),
        ...(key && { key }),
        ...(servername && { servername }),
      },
    };
  });
}

const forwardedAddress = (kube: KubeTarget, service: ServiceName) =>
  `svc/${kubeService(kube, service)} in ${kube.context}/${kube.namespace}`;

/** Refuses an address without TLS, because anyone on the network could read the token. Throws CommandFailure. */
export function requireTls(service: string, address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return;
  throw new CommandFailure(
    exitCodes.usage,
    `${address} of the ${service} service must use https: tokens are sent without TLS only to this machine`,
  );
}

/** Reads a PEM file. Throws CommandFailure. */
export function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `cannot read ${path}: ${(error as Error).message}`);
  }
}
