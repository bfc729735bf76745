import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTested } from '@supplier/lib/testing/programs';
import { lacksRegistry, type Registry, START_MS, startRegistry } from './registry-process.ts';

/**
 * Declares a suite that needs a registry. Where none can be started it is skipped, with the reason; with CI=true it runs
 * and fails, so that no pipeline passes without it. `missing` names what else the suite lacks here.
 */
export function describeWithRegistry(
  name: string,
  suite: (registry: () => Registry) => void,
  missing?: string,
): void {
  const reason = lacksRegistry() ?? missing;
  const runs = isTested('releases', reason === undefined, `mend: ${reason}`);
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
