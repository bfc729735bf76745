import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { wakeable } from '@supplier/lib/wakeable';
import { onFiles, unlessAbsent } from './file-errors.ts';
import type { Layout } from './layout.ts';

/** Longer than any upload may take. */
const LEFT_BEHIND_MS = 3_600_000;
const EVERY_MS = 3_600_000;

/** Removes, now and every hour, what processes that ended in the middle of a write left behind. */
export function keepTemporariesSwept(process: ServiceProcess, layout: Layout): void {
  const rest = wakeable(process.stopping);
  const done = run();
  process.onStop('sweep of temporary files', () => done);

  async function run(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        const count = await sweepTemporaries(layout, new Date());
        if (count > 0) process.log.info({ count }, 'removed temporary files that were left behind');
      } catch (err) {
        process.log.warn({ err }, 'could not look for temporary files');
      }
      await rest.sleep(EVERY_MS);
    }
  }
}

/** Removes the temporary files that nobody has touched for an hour. Resolves to how many there were. */
export function sweepTemporaries(layout: Layout, now: Date): Promise<number> {
  return onFiles('look for temporary files', async () => {
    let count = 0;
    for (const name of await readdir(layout.temporary)) {
      const path = join(layout.temporary, name);
      const found = await unlessAbsent(() => stat(path));
      if (!found || now.getTime() - found.ctimeMs < LEFT_BEHIND_MS) continue;
      await rm(path, { force: true });
      count += 1;
    }
    return count;
  });
}
