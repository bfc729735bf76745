import { connectBus } from '@supplier/lib/event-bus';
import type { NatsAccess } from '@supplier/lib/nats-access';
import { eventually, startTestProcess } from '@supplier/lib/testing';
import { obtainTestNats, startTestNatsServer } from './test-server.ts';
import { atLeast } from './version.ts';

import.meta.jest.setTimeout(120_000);

// From this version on a server can wait for TLS before it says anything.
const { version } = await obtainTestNats();
const ifItCan = atLeast(version, [2, 10, 4]) ? it : it.skip;

ifItCan(
  'SSS_NATS_TLS_FIRST reaches a server that says nothing before TLS, which nobody else does',
  async () => {
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
        'it is told of a connection that came to nothing',
        () => process.lines.some(({ msg }) => msg === 'NATS connection failed'),
        60_000,
      );
      expect(bus.connection()).toBeUndefined();
    } finally {
      for (const process of processes) await process.stop();
      await nats.close();
    }
  },
);
