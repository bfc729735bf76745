import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program that names what it does and then blocks its thread. */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
import { now, pause, say } from ${JSON.stringify(join(import.meta.dirname, 'progress.ts'))};
now('building images', 100);
execFileSync('sleep', ['1.05']);
pause();
say('✓ images');
`;

it('progress output names the current step, and repeats it while the work blocks its thread', async () => {
  const flags = ['--input-type=module-typescript', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('building images …');
  expect(lines.at(-1)).toBe('✓ images');
  const again = lines.slice(1, -1);
  expect(again.length).toBeGreaterThan(2);
  for (const line of again) expect(line).toMatch(/^building images … for [01] s$/);
});
