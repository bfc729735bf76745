import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { connectNodeAdapter, createConnectTransport } from '@connectrpc/connect-node';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@supplier/proto/grpc/health';
import { eventually } from '../../testing/index.ts';
import { serveHealth } from './health.ts';

let ready: boolean;
let asked: number;
let stopping: AbortController;
let server: ReturnType<typeof createServer>;
let gone: AbortController;

beforeEach(async () => {
  ready = true;
  asked = 0;
  stopping = new AbortController();
  gone = new AbortController();
  const handler = connectNodeAdapter({
    routes: (router) =>
      serveHealth(router, {
        names: ['supplier.x.v1.X'],
        ready: async () => {
          asked += 1;
          return ready;
        },
        stopping: stopping.signal,
      }),
  });
  server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  gone.abort();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const client = () => {
  const { port } = server.address() as AddressInfo;
  return createClient(
    Health,
    createConnectTransport({ baseUrl: `http://127.0.0.1:${port}`, httpVersion: '1.1' }),
  );
};
const watch = (service = '') => client().watch({ service }, { signal: gone.signal })[Symbol.asyncIterator]();
type Watcher = ReturnType<typeof watch>;
const next = async (watcher: Watcher) => (await watcher.next()).value?.status;

describe('Health.Watch', () => {
  it.each(['', 'supplier.x.v1.X'])(
    'sends the status of "%s" and each change',
    async (service) => {
      const watcher = watch(service);
      expect(await next(watcher)).toBe(Serving.SERVING);
      ready = false;
      expect(await next(watcher)).toBe(Serving.NOT_SERVING);
      ready = true;
      expect(await next(watcher)).toBe(Serving.SERVING);
    },
    30_000,
  );

  it('sends nothing while the status is unchanged', async () => {
    const watcher = watch();
    expect(await next(watcher)).toBe(Serving.SERVING);
    const change = next(watcher);
    const before = asked;
    await eventually('it has looked several times', () => asked > before + 2);
    ready = false;
    expect(await change).toBe(Serving.NOT_SERVING);
  });

  it('returns SERVICE_UNKNOWN for an unknown service', async () => {
    expect(await next(watch('nobody'))).toBe(Serving.SERVICE_UNKNOWN);
  });

  it('sends NOT_SERVING when the process stops, and ends', async () => {
    const watcher = watch();
    expect(await next(watcher)).toBe(Serving.SERVING);
    stopping.abort();
    expect(await next(watcher)).toBe(Serving.NOT_SERVING);
    expect(await watcher.next()).toMatchObject({ done: true });
  });

  it('serves up to 100 watchers from shared readings', async () => {
    const watchers = Array.from({ length: 100 }, () => watch());
    expect(new Set(await Promise.all(watchers.map(next)))).toEqual(new Set([Serving.SERVING]));
    expect(asked).toBeLessThan(50);
    const error = await next(watch()).catch((cause: unknown) => cause);
    expect(ConnectError.from(error).code).toBe(Code.ResourceExhausted);
    // Watchers do not block probes, and a watcher that leaves frees its place.
    expect((await client().check({})).status).toBe(Serving.SERVING);
    gone.abort();
    gone = new AbortController();
    for (;;) {
      const again = await next(watch()).catch((cause: unknown) => ConnectError.from(cause).code);
      if (again === Serving.SERVING) break;
      expect(again).toBe(Code.ResourceExhausted);
    }
  });
});
