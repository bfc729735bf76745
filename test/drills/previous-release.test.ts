import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { noteUntested } from '@supplier/lib/testing/programs';
import { broken, drill } from '../harness/drill.ts';

/** The previous release may have to be built first: packages are installed, code is generated. */
const DRILL_MS = 800_000;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const commit = readFileSync(`${ROOT}deploy/previous-release`, 'utf8').trim();
const isKnown = existsSync(`${ROOT}.run/previous-release/${commit}/.complete`) || isInHistory();
if (!isKnown) noteUntested('the previous release', 'run git fetch --unshallow');

function isInHistory(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const declare = isKnown || process.env.CI === 'true' ? describe : describe.skip;
declare('the previous release', () => {
  it(
    'runs on this schema and beside this release, on the same databases and streams, with nothing refused, lost or done twice',
    async () => {
      const drilled = await drill('upgrade', DRILL_MS);
      expect({ broken: broken(drilled), progress: drilled.held ? '' : drilled.progress }).toEqual({
        broken: [],
        progress: '',
      });
      expect(drilled.findings.length).toBeGreaterThan(15);
    },
    DRILL_MS + 10_000,
  );
});
