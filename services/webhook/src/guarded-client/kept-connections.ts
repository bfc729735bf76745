import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenedConnection } from './open-connection.ts';

/** Connections that wait for their endpoint's next attempt. No two endpoints share one, not even on the same host. */
export interface KeptConnections {
  /**
   * The most recently used connection of `key`, if there is one on which nothing has arrived since. The caller owns it
   * until it is kept again.
   */
  take(key: string): Promise<OpenedConnection | undefined>;
  /** Keeps a connection for `keepMs` milliseconds. */
  keep(key: string, connection: OpenedConnection, keepMs: number): void;
  /** Ends connections whose time is over. */
  prune(): void;
  /** Ends all that are kept, and keeps no more. */
  close(): void;
}

interface Kept {
  readonly connection: OpenedConnection;
  /** By the clock of `performance`, in milliseconds. */
  readonly until: number;
  isUsable(): boolean;
  /** Stops watching it. */
  release(): void;
}

/** `perKey` bounds the connections that are kept for one key; callers bound those in use. */
export function keptConnections(perKey: number): KeptConnections {
  const kept = new Map<string, Kept[]>();
  let isClosed = false;

  return {
    async take(key) {
      for (let one = kept.get(key)?.pop(); one; one = kept.get(key)?.pop()) {
        // A late piece of an earlier answer must not be read as the next one: let all that has arrived be seen. The
        // second turn begins after everything has been read that the kernel had at the start of the first.
        await nextTurn();
        await nextTurn();
        one.release();
        if (one.isUsable()) return one.connection;
        one.connection.socket.destroy();
      }
      return undefined;
    },
    keep(key, connection, keepMs) {
      const list = kept.get(key) ?? [];
      if (isClosed || list.length >= perKey) return void connection.socket.destroy();
      kept.set(key, list);
      list.push(watched(connection, performance.now() + keepMs));
    },
    prune() {
      for (const [key, list] of kept) {
        const usable = list.filter((one) => one.isUsable());
        for (const one of list) if (!one.isUsable()) one.connection.socket.destroy();
        if (usable.length > 0) kept.set(key, usable);
        else kept.delete(key);
      }
    },
    close() {
      isClosed = true;
      for (const { connection } of [...kept.values()].flat()) connection.socket.destroy();
      kept.clear();
    },
  };
}

/** Nothing may arrive while nothing is requested, not even the end of the connection. */
function watched(connection: OpenedConnection, until: number): Kept {
  const { socket } = connection;
  let isBroken = socket.destroyed || socket.readableEnded;
  const breakOff = () => {
    isBroken = true;
    socket.destroy();
  };
  for (const event of ['data', 'end', 'error', 'close'] as const) socket.on(event, breakOff);
  return {
    connection,
    until,
    // The rest of a request that is not sent yet would be read as the next one. A fast receiver answers before the end of
    // its request is noted as sent, so this is checked only when the connection is taken.
    isUsable: () => !isBroken && socket.writableLength === 0 && performance.now() < until,
    release() {
      for (const event of ['data', 'end', 'error', 'close'] as const) socket.off(event, breakOff);
    },
  };
}
