import type { EndpointSlice, Service } from '../api/objects.ts';

/** A port of a Service's address, and where connections to it may go. */
export interface Route {
  readonly address: string;
  readonly port: number;
  readonly namespace: string;
  readonly service: string;
  readonly endpoints: readonly Endpoint[];
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** What the node's proxy and name server go by. */
export interface Routes {
  readonly routes: readonly Route[];
  /** Addresses by name. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

const SERVICE_LABEL = 'kubernetes.io/service-name';
const DOMAIN = 'svc.cluster.local';

/**
 * The routes of the Services as they are: to ready endpoints only, so that what is being terminated gets nothing new.
 * Names are those of the Services, a headless one's being its ready endpoints, and `otherNames`. The Service of
 * the API server, which announces no loopback address, leads to `apiServer`.
 */
export function routesOf(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  otherNames: ReadonlyMap<string, string>,
  apiServer: Endpoint,
): Routes {
  const names: Record<string, string[]> = {};
  for (const [name, address] of otherNames) names[name.toLowerCase()] = [address];
  const routes: Route[] = [];
  for (const { metadata, spec } of services) {
    const { name, namespace } = metadata;
    const own = slices.filter(
      (slice) => slice.metadata.namespace === namespace && slice.metadata.labels?.[SERVICE_LABEL] === name,
    );
    const address = spec?.clusterIP ?? '';
    const headless = address === 'None';
    if (address === '') continue;
    names[`${name}.${namespace}.${DOMAIN}`] = headless ? own.flatMap(readyAddresses) : [address];
    for (const { port, name: portName = '', protocol = 'TCP' } of headless ? [] : (spec?.ports ?? [])) {
      if (protocol !== 'TCP') continue;
      const isApi = namespace === 'default' && name === 'kubernetes';
      const announced = own.flatMap((slice) => {
        const target = slice.ports?.find((each) => (each.name ?? '') === portName)?.port;
        return target === undefined
          ? []
          : readyAddresses(slice).map((each) => ({ address: each, port: target }));
      });
      routes.push({ address, port, namespace, service: name, endpoints: isApi ? [apiServer] : announced });
    }
  }
  return { routes, names };
}

const readyAddresses = (slice: EndpointSlice) =>
  slice.addressType !== 'IPv4'
    ? []
    : (slice.endpoints ?? []).flatMap(({ addresses, conditions }) =>
        conditions?.ready === false ? [] : addresses.slice(0, 1),
      );
