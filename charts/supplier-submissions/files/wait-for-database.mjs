// Ends when the database's address takes connections; after WAIT_SECONDS with 1. A database that is not there yet is no
// failed migration.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 1_000;
const { WAIT_FOR_HOST: host, WAIT_FOR_PORT: port } = process.env;
const until = Date.now() + Number(process.env.WAIT_SECONDS) * 1_000;
// The first process of a container has no default for signals.
process.on('SIGTERM', () => process.exit(143));

const refusal = () =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const end = (reason) => {
      socket.destroy();
      resolve(reason);
    };
    socket.on('connect', () => end());
    socket.on('timeout', () => end('ETIMEDOUT'));
    socket.on('error', ({ code, message }) => end(code ?? message));
  });

let said;
for (;;) {
  const reason = await refusal();
  if (reason === undefined) break;
  if (reason !== said) console.log(`${host}:${port} takes no connections: ${reason}`);
  said = reason;
  if (Date.now() > until) process.exit(1);
  await pause(EVERY_MS);
}
