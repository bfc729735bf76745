// Ends when the database has every migration that this version needs; after WAIT_SECONDS with 1, and the pod tries again.
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 2_000;
const until = Date.now() + Number(process.env.WAIT_SECONDS) * 1_000;
// The first process of a container has no default for signals.
process.on('SIGTERM', () => process.exit(143));

const asked = () =>
  new Promise((resolve) => {
    execFile(process.execPath, ['src/migrate.mjs', '--status'], { timeout: 60_000 }, (error, out, err) =>
      resolve({ done: !error, says: `${out}${err}`.trim() }),
    );
  });

let said = '';
for (;;) {
  const { done, says } = await asked();
  if (says !== said) console.log(says);
  said = says;
  if (done) break;
  if (Date.now() > until) {
    console.log('the migrations were not applied in time');
    process.exit(1);
  }
  await pause(EVERY_MS);
}
