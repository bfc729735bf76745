import type pg from 'pg';
import type { Logger } from '../log/index.ts';
import { READ_ONLY } from './is-unavailable.ts';

/** What a server says of itself; `on` on a standby, and on a primary that was told to take no writes. */
export interface ReadOnlySetting {
  readonly read_only: string;
}

/** A server that took the connection and does not answer is given up before whoever waits for the connection is. */
const ASK = {
  text: "SELECT current_setting('transaction_read_only') AS read_only",
  query_timeout: 1_000,
};

/** The address leads to a server that takes no writes. Its code is the one by which PostgreSQL refuses them. */
class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
  readonly code = READ_ONLY;
}

/** Throws what means "unavailable" where the server said that it takes no writes. */
export function requireWritable([setting]: readonly ReadOnlySetting[]): void {
  if (setting?.read_only !== 'off')
    throw new ReadOnlyServer('the database server takes no writes: it is a standby, or was demoted');
}

/**
 * What keeps a pool from connections to servers that take no writes: after a failover the address may lead to a standby
 * for a while, and a pool that kept such connections would go on failing when it no longer does. A new one is asked, at
 * the price of one round trip; one that is refused a write is closed as soon as that was answered.
 */
export function writableOnly(log: Logger, purpose: string) {
  let refused = false;

  async function check(client: pg.ClientBase): Promise<void> {
    try {
      requireWritable((await client.query<ReadOnlySetting>(ASK)).rows);
      if (refused) log.info({ pool: purpose }, 'database takes writes again');
      refused = false;
    } catch (error) {
      if (error instanceof ReadOnlyServer) noteRefusal();
      throw error;
    }
  }

  function watch(client: pg.PoolClient): void {
    connectionOf(client).on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code !== READ_ONLY) return;
      noteRefusal();
      // Whoever has it is told of the refusal first; then the pool finds it closed, and opens another.
      void (client as unknown as pg.Client).end().catch(() => {});
    });
  }

  function noteRefusal(): void {
    if (!refused) log.warn({ pool: purpose }, 'database takes no writes; waiting for the primary');
    refused = true;
  }

  return { check, watch };
}

/** What the driver reads the server's messages from; by its types it has none. */
function connectionOf(client: pg.PoolClient): NodeJS.EventEmitter {
  return (client as unknown as { readonly connection: NodeJS.EventEmitter }).connection;
}
