import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NARRATOR = join(import.meta.dirname, 'narrator.ts');
/** A program that narrates a step and then blocks its thread. */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
import { openNarrator } from ${JSON.stringify(NARRATOR)};
const narrator = openNarrator({ begunMs: Date.now() - 61_000, everyMs: 100 });
narrator.now('building images');
execFileSync('sleep', ['1.05']);
narrator.say('✓ images');
narrator.now('starting a node');
narrator.pause();
`;

it('prints the current step with the elapsed time, and repeats it while the work blocks its thread', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module-typescript',
    '--eval',
    PROGRAM,
  ]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('  1:01 building images …');
  expect(lines.at(-2)).toBe('✓ images');
  expect(lines.at(-1)).toMatch(/^ {2}1:0\d starting a node …$/);
  const again = lines.slice(1, -2);
  expect(again.length).toBeGreaterThan(2);
  for (const line of again) expect(line).toMatch(/^ {2}1:0\d … building images, for [01] s$/);
});
