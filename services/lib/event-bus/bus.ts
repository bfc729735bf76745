import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { ServiceProcess } from '../service-runtime/index.ts';

const RETRY_MS = 250;

/** The one connection of a process to the event bus. It may be lost and made again; the process does not wait for it. */
export interface Bus {
  /** The connection while it is up, else undefined. */
  connection(): NatsConnection | undefined;
  /** Calls `listener` at the first connection and at every one after it. */
  onConnect(listener: () => void): void;
}

/** Connects, and reconnects until the process stops. Never fails because the server is unavailable. */
export function connectBus(process: ServiceProcess, natsUrl: string): Bus {
  const listeners: (() => void)[] = [];
  let current: NatsConnection | undefined;
  let up = false;

  async function keepConnected(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        current = await connect({
          servers: natsUrl,
          name: process.name,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RETRY_MS,
          reconnectJitter: 100,
          // A dead connection is noticed within about five seconds.
          pingInterval: 2_500,
          maxPingOut: 2,
          timeout: 2_000,
          ignoreAuthErrorAbort: true,
        });
        connected();
        await watch(current);
      } catch (err) {
        process.log.debug({ err }, 'NATS connection failed');
      }
      await delay(RETRY_MS, undefined, { signal: process.stopping }).catch(() => {});
    }
  }

  async function watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        up = false;
        process.log.warn({}, 'NATS disconnected');
      } else if (status.type === 'reconnect') {
        connected();
      }
    }
    up = false;
  }

  function connected(): void {
    up = true;
    process.log.info({}, 'NATS connected');
    for (const listener of listeners) listener();
  }

  void keepConnected();
  const close = async () => {
    up = false;
    await current?.close();
  };
  process.onStop('event bus', close, 'connections');
  return {
    connection: () => (up ? current : undefined),
    onConnect: (listener) => {
      listeners.push(listener);
      if (up) listener();
    },
  };
}
