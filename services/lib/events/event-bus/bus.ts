import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { types } from 'node:util';
import {
  AuthorizationError,
  connect,
  type NatsConnection,
  PermissionViolationError,
} from '@nats-io/transport-node';
import { ConfigError } from '../../runtime/config/index.ts';
import { sharedGauge } from '../../runtime/metrics/index.ts';
import { type NatsAccess, natsConnectOptions } from '../../runtime/nats-access/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { tryPermissions } from './permissions.ts';

const RETRY_MS = 250;
const MAX_LOGGED = 100;

/** A process's single connection to the event bus. It may be lost and reopened; the process does not wait for it. */
export interface Bus {
  connection(): NatsConnection | undefined;
  /** Calls `listener` on the first connection and on every reconnection. */
  onConnect(listener: () => void): void;
}

/**
 * Connects until the process stops; the server need not be available. Ends the process with a ConfigError if the first
 * server rejects the user or denies a permission that the process needs.
 */
export function connectBus(process: ServiceProcess, access: NatsAccess): Bus {
  const { log } = process;
  const given = natsConnectOptions(process.name, access, (err) =>
    log.error({ err }, 'NATS credentials unreadable'),
  );
  const listeners: (() => void)[] = [];
  /** Messages logged since the last connection: a server that rejects the user does so several times a second. */
  const logged = new Set<string>();
  let current: NatsConnection | undefined;
  let up = false;
  let admitted = false;

  async function keepConnected(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        current = await connect({
          ...given,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RETRY_MS,
          reconnectJitter: 100,
          // These values detect a dead connection within about five seconds.
          pingInterval: 2_500,
          maxPingOut: 2,
          timeout: 2_000,
          ignoreAuthErrorAbort: true,
        });
        connected();
        await watch(current);
      } catch (err) {
        if (err instanceof AuthorizationError)
          refuse('NATS rejected the user: check SSS_NATS_CREDENTIALS_FILE');
        reportOnce(err, 'NATS connection failed');
      }
      await delay(RETRY_MS, undefined, { signal: process.stopping }).catch(() => {});
    }
  }

  async function admit(connection: NatsConnection): Promise<void> {
    try {
      await tryPermissions(connection, process.name);
      // Denials have been read from the connection by now; they are reported by the next event-loop turn.
      await immediate();
      admitted = true;
    } catch {
      // The connection was lost in the meantime: the next one tries again.
    }
  }

  /** An admitted process keeps trying: the server may be about to load new credentials. */
  function refuse(line: string): void {
    if (!admitted) process.fail(new ConfigError(line));
  }

  async function watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        up = false;
        log.warn({}, 'NATS disconnected');
      } else if (status.type === 'reconnect') {
        connected();
      } else if (status.type === 'error') {
        reportError(status.error);
      }
    }
    up = false;
  }

  function reportError(err: Error): void {
    if (!(err instanceof PermissionViolationError)) reportOnce(err, 'NATS connection failed');
    else if (first(`${err.operation} ${err.subject}`)) {
      log.error({ method: err.operation, resource: err.subject }, 'NATS permission denied');
      refuse(
        `NATS denied ${err.operation} of ${err.subject}: give the user ${process.name} the permissions in docs/nats-permissions.json`,
      );
    }
  }

  function reportOnce(err: unknown, message: string): void {
    // The client, the server or OpenSSL writes this reason. It explains the mismatch and quotes no data.
    const reason = types.isNativeError(err) ? err.message : 'unknown';
    if (first(reason)) log.warn({ err, reason }, message);
  }

  /** Returns whether this was not logged since the last connection. */
  function first(what: string): boolean {
    if (logged.has(what) || logged.size >= MAX_LOGGED) return false;
    logged.add(what);
    return true;
  }

  function connected(): void {
    up = true;
    logged.clear();
    log.info({}, 'NATS connected');
    if (current && !admitted) void admit(current);
    for (const listener of listeners) listener();
  }

  sharedGauge(
    process.metrics,
    { name: 'sss_nats_connected', help: '1 while connected to NATS, otherwise 0.' },
    () => [[{}, up ? 1 : 0]],
  );
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
