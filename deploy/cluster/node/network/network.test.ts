import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { EndpointSlice, Service } from '../api/objects.ts';
import { answer, parseQuery } from './dns-message.ts';
import { routesOf } from './routes.ts';
import { type Made, type ServiceProxy, serviceProxy } from './service-proxy.ts';

const metadata = { namespace: 'space', uid: 'u', resourceVersion: '1' };
const service = (name: string, clusterIP: string): Service => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, name } },
  spec: { clusterIP, ports: [{ name: 'http', port: 80 }] },
});
const slice = (name: string, endpoints: EndpointSlice['endpoints']): EndpointSlice => ({
  ...{
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    endpoints: endpoints ?? [],
  },
  metadata: { ...metadata, name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
  ports: [{ name: 'http', port: 8080 }],
});
const api = { address: '127.0.0.1', port: 6443 };

describe('routes', () => {
  it('lead to ready endpoints alone, by the port of their name', () => {
    const { routes } = routesOf(
      [service('web', '10.96.1.1')],
      [
        slice('web', [
          { addresses: ['10.244.0.2'], conditions: { ready: true } },
          { addresses: ['10.244.0.3'], conditions: { ready: false, serving: true, terminating: true } },
        ]),
        slice('other', [{ addresses: ['10.244.0.9'] }]),
      ],
      new Map(),
      api,
    );
    expect(routes).toEqual([
      {
        ...{ address: '10.96.1.1', port: 80, namespace: 'space', service: 'web' },
        endpoints: [{ address: '10.244.0.2', port: 8080 }],
      },
    ]);
  });

  it('name Services by their address, headless ones by their endpoints', () => {
    const headless = slice('db', [{ addresses: ['10.244.0.4'] }, { addresses: ['10.244.0.5'] }]);
    const { names, routes } = routesOf(
      [service('web', '10.96.1.1'), service('db', 'None')],
      [headless],
      new Map([['Other.example', '192.0.2.1']]),
      api,
    );
    expect(names).toEqual({
      'web.space.svc.cluster.local': ['10.96.1.1'],
      'db.space.svc.cluster.local': ['10.244.0.4', '10.244.0.5'],
      'other.example': ['192.0.2.1'],
    });
    expect(routes.map((each) => each.service)).toEqual(['web']);
  });
});

describe('the name server', () => {
  /** A query for `web.example`, as resolvers send it. */
  const query = (type: number) =>
    Buffer.concat([
      Buffer.from('beef01000001000000000000', 'hex'),
      Buffer.from('\x03WEB\x07example\0'),
      Buffer.from([0, type, 0, 1]),
    ]);

  it('answers with the addresses of a name, whatever its case', () => {
    const question = parseQuery(query(1))!;
    expect(question).toMatchObject({ id: 0xbeef, name: 'web.example', wantsIpv4: true });
    const given = answer(question, ['10.96.1.1', '10.96.1.2']);
    expect(given.readUInt16BE(0)).toBe(0xbeef);
    expect(given.readUInt16BE(2)).toBe(0x8580);
    expect(given.readUInt16BE(6)).toBe(2);
    expect([...given.subarray(-4)]).toEqual([10, 96, 1, 2]);
  });

  it('tells a name without such an address from a name that there is not', () => {
    const none = answer(parseQuery(query(28))!, ['10.96.1.1']);
    expect([none.readUInt16BE(2) & 0xf, none.readUInt16BE(6)]).toEqual([0, 0]);
    const unknown = answer(parseQuery(query(1))!, undefined);
    expect([unknown.readUInt16BE(2) & 0xf, unknown.readUInt16BE(6)]).toEqual([3, 0]);
  });

  it.each(['', 'beef', 'beef0100000100000000000003576542'])('takes no notice of the message %j', (hex) => {
    expect(parseQuery(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});

describe('the proxy of Services', () => {
  const open: Server[] = [];
  const proxies: ServiceProxy[] = [];
  afterEach(() => {
    for (const server of open.splice(0)) server.close();
    for (const proxy of proxies.splice(0)) proxy.use([]);
  });
  function proxyTelling(made: (connection: Made) => void): ServiceProxy {
    const proxy = serviceProxy(made);
    proxies.push(proxy);
    return proxy;
  }

  async function endpoint(says: string) {
    const server = createServer((socket) => socket.end(says)).listen(0, '127.0.0.1');
    open.push(server);
    await once(server, 'listening');
    return { server, address: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }
  async function freePort(): Promise<number> {
    const { server, port } = await endpoint('');
    server.close();
    await once(server, 'close');
    return port;
  }
  const ask = (port: number) =>
    new Promise<string>((resolve) => {
      let text = '';
      connect(port, '127.0.0.1')
        .on('data', (chunk) => {
          text += chunk;
        })
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
        .on('end', () => resolve(text));
    });
  const listens = async (port: number) => {
    while ((await ask(port)) === 'ECONNREFUSED') await new Promise(setImmediate);
  };

  it('takes turns, goes on to the next where one refuses, and refuses where there is none', async () => {
    const made: Made[] = [];
    const proxy = proxyTelling((each) => made.push(each));
    const [a, b, port, dead] = [await endpoint('a'), await endpoint('b'), await freePort(), await freePort()];
    const route = { address: '127.0.0.1', port, namespace: 'space', service: 'web' };
    proxy.use([{ ...route, endpoints: [a, b] }]);
    await listens(port);
    const answers = [await ask(port), await ask(port), await ask(port), await ask(port)];
    expect(answers.toSorted()).toEqual(['a', 'a', 'b', 'b']);

    made.splice(0);
    proxy.use([{ ...route, endpoints: [{ address: '127.0.0.1', port: dead }, b] }]);
    expect(await ask(port)).toBe('b');
    expect(made).toMatchObject([
      { from: '127.0.0.1', service: 'web', endpoint: { port: b.port }, refused: 1 },
    ]);

    proxy.use([{ ...route, endpoints: [] }]);
    expect(await ask(port)).toBe('ECONNREFUSED');
  });

  it('keeps a connection whose endpoint is no longer among the routes', async () => {
    const proxy = proxyTelling(() => undefined);
    const port = await freePort();
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    open.push(echo);
    await once(echo, 'listening');
    const target = { address: '127.0.0.1', port: (echo.address() as AddressInfo).port };
    const route = { address: '127.0.0.1', port, namespace: 'space', service: 'web' };
    proxy.use([{ ...route, endpoints: [target] }]);
    const client = connect(port, '127.0.0.1');
    client.write('one');
    expect(String((await once(client, 'data'))[0])).toBe('one');
    proxy.use([]);
    client.write('two');
    expect(String((await once(client, 'data'))[0])).toBe('two');
    client.end();
    await once(client, 'close');
  });
});
