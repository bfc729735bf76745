import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import { READ_ONLY } from './is-unavailable.ts';

/** The server setting: `on` for a standby and for a primary that is configured to reject writes. */
export interface ReadOnlySetting {
  readonly read_only: string;
}

/** Gives up on a server that does not respond before the caller waiting for the connection times out. */
const ASK = {
  text: "SELECT current_setting('transaction_read_only') AS read_only",
  query_timeout: 1_000,
};

/** The address leads to a read-only server. Uses the code with which PostgreSQL rejects writes. */
class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
  readonly code = READ_ONLY;
}

/** Throws an error that counts as unavailable if the server is read-only. */
export function requireWritable([setting]: readonly ReadOnlySetting[]): void {
  if (setting?.read_only !== 'off')
    throw new ReadOnlyServer('the database server is read-only: it is a standby, or was demoted');
}

/**
 * Keeps a pool free of connections to read-only servers, to which the address may lead after a failover. Checks each
 * new connection, and closes one after a rejected write.
 */
export function writableOnly(log: Logger, purpose: string) {
  let refused = false;

  async function check(client: pg.ClientBase): Promise<void> {
    try {
      requireWritable((await client.query<ReadOnlySetting>(ASK)).rows);
      if (refused) log.info({ pool: purpose }, 'database accepts writes again');
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
      // The caller that holds the connection gets the error first; then the pool finds it closed and opens another.
      void (client as unknown as pg.Client).end().catch(() => {});
    });
  }

  function noteRefusal(): void {
    if (!refused) log.warn({ pool: purpose }, 'database is read-only; waiting for the primary');
    refused = true;
  }

  return { check, watch };
}

/** The emitter of server messages, which the driver's types omit. */
function connectionOf(client: pg.PoolClient): NodeJS.EventEmitter {
  return (client as unknown as { readonly connection: NodeJS.EventEmitter }).connection;
}
