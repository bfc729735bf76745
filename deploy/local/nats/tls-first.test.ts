import { connectBus } from '@supplier/lib/events/event-bus';
import type { NatsAccess } from '@supplier/lib/runtime/nats-access';
import { eventually, startTestProcess } from '@supplier/lib/testing';
import { startTestNatsServer } from './testing/test-server.ts';

jest.setTimeout(120_000);

it('SSS_NATS_TLS_FIRST is required and sufficient for a server that sends nothing before the TLS handshake', async () => {
  const nats = await startTestNatsServer((config) =>
    config.replace('"timeout":5', '"timeout":5,"handshake_first":true'),
  );
  const processes: ReturnType<typeof startTestProcess>[] = [];
  const start = (access: NatsAccess) => {
    const process = startTestProcess('account');
    processes.push(process);
    return { process, bus: connectBus(process, access) };
  };
  try {
    const access = nats.accessOf('account');
    const first = start({ ...access, tlsFirst: true });
    const connection = await eventually('it is connected', () => first.bus.connection(), 30_000);
    await connection.flush();

    const { process, bus } = start(access);
    await eventually(
      'a connection that came to nothing is reported',
      () => process.lines.some(({ msg }) => msg === 'NATS connection failed'),
      60_000,
    );
    expect(bus.connection()).toBeUndefined();
  } finally {
    for (const process of processes) await process.stop();
    await nats.close();
  }
});
