import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { balance } from './balancer.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function replica(name: string): Promise<number> {
  const server = createServer((socket) => socket.end(name));
  servers.push(server);
  return listening(server);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function heardAt(port: number): Promise<string> {
  let heard = '';
  for await (const chunk of connect({ host: '127.0.0.1', port })) heard += chunk;
  return heard;
}

it('the balancer gives connections to each replica in turn, and to none that is removed', async () => {
  const spare = createServer();
  const port = await listening(spare);
  await new Promise((resolve) => spare.close(resolve));
  const balancer = await balance(port);
  const [old, present] = [await replica('old'), await replica('new')];
  balancer.route([old]);
  expect([await heardAt(port), await heardAt(port)]).toEqual(['old', 'old']);
  balancer.route([old, present]);
  expect(new Set([await heardAt(port), await heardAt(port)])).toEqual(new Set(['old', 'new']));
  balancer.route([present]);
  expect(await heardAt(port)).toBe('new');
  expect(balancer.given.get(old)).toBe(3);
  balancer.close();
});

it('the balancer holds bytes of a disturbed direction until the disturbance ends', async () => {
  const server = createServer((socket) => socket.pipe(socket));
  servers.push(server);
  const balancer = await balance();
  balancer.route([await listening(server)]);
  const client = connect({ host: '127.0.0.1', port: balancer.port });
  client.write('first');
  expect(String((await once(client, 'data'))[0])).toBe('first');
  balancer.disturb({ hold: 'responses' });
  client.write('second');
  const heard = once(client, 'data');
  const other = connect({ host: '127.0.0.1', port: balancer.port });
  other.write('third');
  await expect(Promise.race([heard, once(other, 'data'), undefined])).resolves.toBeUndefined();
  balancer.disturb();
  expect(String((await heard)[0])).toBe('second');
  expect(String((await once(other, 'data'))[0])).toBe('third');
  client.destroy();
  balancer.close();
});

it('the balancer delivers every byte in order on a path that loses some', async () => {
  const server = createServer((socket) => socket.end('greeting'));
  servers.push(server);
  const balancer = await balance();
  balancer.route([await listening(server)]);
  balancer.disturb({ lost: 1 });
  let heard = '';
  const hearing = heardAt(balancer.port).then((text) => {
    heard = text;
  });
  await Promise.race([hearing, pause(100)]);
  expect(heard).toBe('');
  balancer.disturb();
  await hearing;
  expect(heard).toBe('greeting');
  balancer.close();
});
