import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacksRegistry, type Registry, START_MS, startRegistry } from './registry-process.ts';

/**
 * `describe`, or `describe.skip` with its reason where there is no registry to be started. With CI=true the suite runs,
 * and fails, so that no pipeline is green without it. `missing` says what else the suite lacks here.
 */
export function describeWithRegistry(
  name: string,
  suite: (registry: () => Registry) => void,
  missing?: string,
): void {
  const reason = lacksRegistry() ?? missing;
  const runs = reason === undefined || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because ${reason}`);
  const declare = runs ? describe : describe.skip;
  declare(name, () => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-'));
    let registry: Registry | undefined;
    beforeAll(async () => {
      registry = await startRegistry({ folder });
    }, START_MS);
    afterAll(async () => {
      await registry?.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    suite(() => {
      if (!registry) throw new Error('the registry has not been started');
      return registry;
    });
  });
}
