import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../../local/state/lock-file.mjs';
import { waitUntil } from '../../local/wait-until.ts';

it('an interrupted set-up leaves no program behind, nor what a program has started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-program-'));
  const pidFile = join(folder, 'pid');
  const setUp = `import { existsSync } from 'node:fs';
    import { observeProgram } from '${join(import.meta.dirname, 'run-program.mjs')}';
    const args = ['-c', 'sleep 600 & echo $! > ${pidFile}.draft; mv ${pidFile}.draft ${pidFile}; wait'];
    observeProgram('sh', args, { cwd: '${folder}', env: process.env, group: true });
    setInterval(() => existsSync('${pidFile}') && process.exit(), 20);`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', setUp]);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await waitUntil(() => identify(pid) === undefined || undefined, { withinMs: 10_000, everyMs: 20 });
  expect(identify(pid)).toBeUndefined();
  rmSync(folder, { recursive: true });
});
