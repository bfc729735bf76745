import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Api } from '../api/api.ts';
import type { EndpointSlice, Pod, Service } from '../api/objects.ts';
import { watch } from '../api/watched.ts';
import type { SeenConnection } from '../options.ts';
import { type Endpoint, routesOf } from './routes.ts';
import type { Made } from './service-proxy.ts';

interface Options {
  readonly api: Api;
  readonly signal: AbortSignal;
  readonly names: ReadonlyMap<string, string>;
  readonly apiServer: Endpoint;
  log(line: string): void;
}

/** Services as pods reach them: their addresses and their names. */
export interface Services {
  /** Told of each pod that has an address, so that connections can be told apart by their pods. */
  podHas(address: string, pod: Pod): void;
  connections(): SeenConnection[];
  stop(): Promise<void>;
}

interface SeenPod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Serves every Service's address and name as they are now; resolves once that is so. */
export async function startServices({ api, signal, names, apiServer, log }: Options): Promise<Services> {
  const thread = new Worker(new URL('./network-thread.ts', import.meta.url));
  await Promise.race([
    once(thread, 'online'),
    once(thread, 'error').then(([error]) => Promise.reject(error)),
  ]);
  const pods = new Map<string, SeenPod>();
  const seen = new Map<string, { connection: Omit<SeenConnection, 'count'>; count: number }>();

  thread.on('message', (made: Made) => {
    const connection = described(made, pods);
    const key = JSON.stringify(connection);
    const before = seen.get(key);
    seen.set(key, { connection, count: (before?.count ?? 0) + 1 });
  });
  thread.on('error', (error) => log(`the proxy of Services failed: ${error}`));

  let due = false;
  /** Many changes come together. */
  const publish = () => {
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      if (!signal.aborted) thread.postMessage(routesOf(services.list(), slices.list(), names, apiServer));
    });
  };
  const options = { api, signal, log, changed: publish };
  const services = watch<Service>({ ...options, path: '/api/v1/services' });
  const slices = watch<EndpointSlice>({ ...options, path: '/apis/discovery.k8s.io/v1/endpointslices' });
  await Promise.all([services.listed, slices.listed]);
  publish();

  return {
    podHas(address, { metadata }) {
      const { namespace, name, labels = {} } = metadata;
      pods.set(address, { namespace, name, labels });
    },
    connections: () => [...seen.values()].map(({ connection, count }) => ({ ...connection, count })),
    stop: async () => void (await thread.terminate()),
  };
}

function described(made: Made, pods: ReadonlyMap<string, SeenPod>): Omit<SeenConnection, 'count'> {
  const { namespace, service, port, endpoint, refused } = made;
  const from = pods.get(made.from);
  const to = pods.get(endpoint.address);
  return {
    ...(from ? { from } : {}),
    to: {
      namespace,
      service,
      port,
      pod: to?.name ?? '',
      targetPort: endpoint.port,
      labels: to?.labels ?? {},
    },
    ...(refused > 0 ? { refused } : {}),
  };
}
