// Beside a throw-away database: migrates it at the start, and again each time its server has gone. The next one is empty.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const AGAIN_MS = 2_000;
/** After a migration that failed, which another image or a person has to mend. */
const FAILED_MS = 5_000;
const CONNECT_MS = 5_000;
/** PostgreSQL closes a connection without a login after a minute. */
const RENEW_MS = 30_000;
const MIGRATION_MS = 600_000;
const { WAIT_FOR_HOST: host, WAIT_FOR_PORT: port } = process.env;
// The first process of a container has no default for signals.
process.on('SIGTERM', () => process.exit(143));

/** A connection to the server; undefined where it takes none. */
const opened = () =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.on('error', () => {});
    socket.once('close', () => resolve(undefined));
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.resume();
      resolve(socket);
    });
  });

const migrated = () =>
  new Promise((resolve) => {
    execFile(process.execPath, ['src/migrate.mjs'], { timeout: MIGRATION_MS }, (error, out, err) => {
      process.stdout.write(`${out}${err}`);
      resolve(!error);
    });
  });

/** Resolves when the server has closed a connection. There is always one: the next is opened before the last is given up. */
async function gone(socket) {
  let held = socket;
  while (held && !held.closed) {
    const renewal = new AbortController();
    const renewed = pause(RENEW_MS, undefined, { signal: renewal.signal }).catch(() => {});
    await Promise.race([once(held, 'close'), renewed]);
    renewal.abort();
    if (held.closed) return;
    const next = await opened();
    // What was held until now may have ended meanwhile, and the next be another server's.
    if (held.closed) {
      next?.destroy();
      return;
    }
    held.destroy();
    held = next;
  }
}

for (;;) {
  // Before the migration: a server that goes during it is noticed, too.
  const held = await opened();
  const done = held && (await migrated());
  if (done) await gone(held);
  held?.destroy();
  await pause(held && !done ? FAILED_MS : AGAIN_MS);
}
