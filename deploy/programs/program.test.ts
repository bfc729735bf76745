import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGo } from './program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-go-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a script in place of Go. */
function run(script: string, withinMs = 60_000): Promise<string> {
  const go = join(folder, 'go');
  writeFileSync(go, `#!/bin/bash\necho "go: downloading example.test/module v1" >&2\n${script}\n`, {
    mode: 0o755,
  });
  return runGo(['build'], { cwd: folder, withinMs, go });
}

it('runGo resolves to Go’s output', async () => {
  expect(await run('echo "$1"')).toBe('build\n');
});

it('runGo stops at the timeout, and reports that a second run continues', async () => {
  await expect(run('exec sleep 600', 500)).rejects.toThrow(
    "go build took longer than 0.5 s; run it again to continue from Go's cache",
  );
});

it('runGo reports Go’s errors, without its download messages', async () => {
  await expect(run('echo "main.go:3:1: syntax error" >&2; exit 1')).rejects.toThrow(
    'go build: main.go:3:1: syntax error',
  );
});
