import type pg from 'pg';
import type { Logger } from '../../runtime/log/index.ts';
import { READ_ONLY } from './is-unavailable.ts';

/** The server's setting; `on` on a standby, and on a primary that is set to refuse writes. */
export interface ReadOnlySetting {
  readonly read_only: string;
}

/** A server that does not answer is given up before the caller that waits for the connection times out. */
const ASK = {
  text: "SELECT current_setting('transaction_read_only') AS read_only",
  query_timeout: 1_000,
};

/** The address leads to a server that accepts no writes. The code is the one with which PostgreSQL refuses them. */
class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
  readonly code = READ_ONLY;
}

/** Throws an error that counts as "unavailable" if the server says that it accepts no writes. */
export function requireWritable([setting]: readonly ReadOnlySetting[]): void {
  if (setting?.read_only !== 'off')
    throw new ReadOnlyServer('the database server takes no writes: it is a standby, or was demoted');
}

/**
 * Keeps a pool free of connections to servers that accept no writes: after a failover the address may lead to a standby
 * for a while, and a pool that kept such connections would go on failing afterwards. A new connection is checked, for
 * one round trip; one on which a write is refused is closed as soon as that was answered.
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
      // The holder of the connection gets the refusal first; then the pool finds it closed, and opens another.
      void (client as unknown as pg.Client).end().catch(() => {});
    });
  }

  function noteRefusal(): void {
    if (!refused) log.warn({ pool: purpose }, 'database takes no writes; waiting for the primary');
    refused = true;
  }

  return { check, watch };
}

/** The emitter of the server's messages, which the driver's types do not show. */
function connectionOf(client: pg.PoolClient): NodeJS.EventEmitter {
  return (client as unknown as { readonly connection: NodeJS.EventEmitter }).connection;
}
