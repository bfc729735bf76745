import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGo } from './run-go.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-go-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a script in place of Go. */
function run(script: string, withinMs = 60_000): Promise<string> {
  const go = join(folder, 'go');
  writeFileSync(go, `#!/bin/bash\necho "go: downloading example.test/module v1" >&2\n${script}\n`, {
    mode: 0o755,
  });
  const say = (line: string) => void said.push(line);
  return runGo(['build'], { what: 'Helm 4', cwd: folder, env: process.env, withinMs, say, go });
}
/** Longer than any test waits; the shell's place, so that the signal ends it. */
const HANGS = 'exec sleep 600';

it('resolves to what Go prints', async () => {
  expect(await run('echo "$1"')).toBe('build\n');
  expect(said).toEqual([]);
});

it('tries again when the time is over, and says that what is compiled is kept', async () => {
  expect(await run(`[ -e tried ] || { touch tried; ${HANGS}; }; echo built`, 2_000)).toBe('built\n');
  expect(said).toEqual([
    'Helm 4 was not built within 2 s; what is compiled is kept, and the build goes on from there',
  ]);
});

it('gives up when the time is over again, with a sentence and without what was downloaded', async () => {
  await expect(run(HANGS, 500)).rejects.toThrow(
    /^Helm 4 was not built within 1 s, 2 times: what is compiled is kept in Go's cache, so run the same command again/,
  );
  expect(said).toHaveLength(1);
});

it('says what Go says is wrong, at once, and nothing of what it downloaded', async () => {
  await expect(run('echo "main.go:3:1: syntax error" >&2; exit 1')).rejects.toThrow(
    'Helm 4 cannot be built: main.go:3:1: syntax error',
  );
  expect(said).toEqual([]);
});
