import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs a test file as `npm test` does; resolves to jest's exit code and what it said. */
async function runFile(text: string): Promise<{ code: number; said: string }> {
  const run = join(ROOT, '.run');
  mkdirSync(run, { recursive: true });
  const folder = mkdtempSync(join(run, 'bounds-'));
  try {
    writeFileSync(join(folder, 'one.test.ts'), text);
    const config = {
      rootDir: folder,
      runner: join(ROOT, 'node_modules/jest-light-runner/src/child-process.js'),
      setupFilesAfterEnv: [join(import.meta.dirname, 'bounds.mjs')],
    };
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const args = [jest, '--config', JSON.stringify(config), '--maxWorkers=2'];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: ROOT, timeout: 50_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, said: stdout + stderr }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the runner of tests', () => {
  it.each([
    ['a test', `it('waits', () => new Promise(() => {}), 50);`],
    ['a hook', `beforeAll(() => new Promise(() => {}), 50); it('waits', () => {});`],
    [
      'a test of a file with a bound of its own',
      `jest.setTimeout(50); it('waits', () => new Promise(() => {}));`,
    ],
  ])('ends %s that never ends by itself, and fails it', async (_what, text) => {
    const { code, said } = await runFile(text);
    expect([code, said]).toEqual([1, expect.stringContaining('not done within 200 ms')]);
  });

  it('fails a file that cannot be loaded', async () => {
    const { code, said } = await runFile(`import './nothing.ts'; it('passes', () => {});`);
    expect([code, said]).toEqual([1, expect.stringContaining('nothing.ts')]);
  });

  it('ends no other tests for a refusal that is awaited a moment later', async () => {
    const text = `it('waits', async () => {
      const refused = Promise.reject(new Error('refused'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await expect(refused).rejects.toThrow('refused');
    });`;
    expect((await runFile(text)).code).toBe(0);
  });
});
