import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { callJetStream } from './jetstream.ts';

it('a call of JetStream fails when the server ends the connection without a greeting', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(callJetStream(`nats://127.0.0.1:${port}`, 'INFO')).rejects.toThrow();
  server.close();
});
