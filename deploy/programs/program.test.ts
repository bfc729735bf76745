import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLockFile } from '../local/state/lock-file.mjs';
import { program, runGo } from './program.ts';

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

it('obtain stops waiting for another process after the timeout, and names that process', async () => {
  takeLockFile(join(folder, '.tool-1.lock'));
  const tool = program(
    { name: 'tool-1', file: 'tool', withinMs: 100, needs: {}, obtain: () => Promise.resolve() },
    { cache: folder, report: () => undefined },
  );
  await expect(tool.obtain()).rejects.toThrow(
    `another process (${process.pid}) has been obtaining tool-1 for more than 0.1 s: stop it and try again`,
  );
});

it('obtain reports at once what takes long, that it continues, and its end', async () => {
  const lines: string[] = [];
  const continues = Promise.withResolvers<void>();
  const tool = program(
    {
      ...{ name: 'tool-1', file: 'tool', withinMs: 60_000, needs: { go: 'golang-go' } },
      async obtain() {
        await continues.promise;
      },
    },
    {
      ...{ cache: folder, reportEveryMs: 10 },
      report(line) {
        lines.push(line);
        if (lines.length === 2) continues.resolve();
      },
    },
  );
  await tool.obtain();
  expect([lines[0], lines[1], lines.at(-1)]).toEqual([
    'building tool-1 with Go, once for this machine: this may take minutes …',
    expect.stringMatching(/^building tool-1 with Go: \d+ s …$/),
    expect.stringMatching(/^building tool-1 with Go: done after \d+ s$/),
  ]);
  await tool.obtain();
  expect(lines.filter((line) => line.endsWith('minutes …'))).toHaveLength(1);
});
