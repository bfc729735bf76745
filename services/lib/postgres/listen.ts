import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ServiceProcess } from '../service-runtime/index.ts';

const RECONNECT_MS = 500;

/**
 * Calls `notify` whenever somebody notifies `channel`, and once after every (re)connection, since notifications sent in
 * between are lost. Runs until the process stops.
 */
export function listen(
  process: ServiceProcess,
  databaseUrl: string,
  channel: string,
  notify: () => void,
): void {
  let client: pg.Client | undefined;
  const done = keepListening();
  process.onStop(`listener on ${channel}`, async () => {
    await client?.end().catch(() => {});
    await done;
  });

  async function keepListening(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        await listenOnce();
      } catch (err) {
        process.log.debug({ err }, 'the database listener broke');
      }
      await delay(RECONNECT_MS, undefined, { signal: process.stopping }).catch(() => {});
    }
  }

  async function listenOnce(): Promise<void> {
    const current = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    });
    client = current;
    const ended = new Promise<void>((resolve) => {
      current.once('end', resolve);
      current.on('error', () => resolve());
    });
    current.on('notification', notify);
    try {
      await current.connect();
      await current.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      notify();
      await ended;
    } finally {
      await current.end().catch(() => {});
    }
  }
}
