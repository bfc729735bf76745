import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs a test file as `npm test` does; resolves to jest's exit code and output. */
const runFile = (text: string) => runFiles([text]);

/** `atStart` runs in each process of the runner before anything else. */
async function runFiles(texts: readonly string[], atStart = ''): Promise<{ code: number; said: string }> {
  const run = join(ROOT, '.run');
  mkdirSync(run, { recursive: true });
  const folder = mkdtempSync(join(run, 'bounds-'));
  try {
    texts.forEach((text, number) => {
      writeFileSync(join(folder, `${number}.test.ts`), text);
    });
    writeFileSync(join(folder, 'at-start.mjs'), atStart);
    const config = {
      rootDir: folder,
      runner: join(ROOT, 'node_modules/jest-light-runner/src/child-process.js'),
      setupFilesAfterEnv: [join(import.meta.dirname, 'bounds.mjs')],
    };
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const args = [jest, '--config', JSON.stringify(config), '--maxWorkers=2'];
    return await new Promise((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: `--import=${join(folder, 'at-start.mjs')}` };
      execFile(process.execPath, args, { cwd: ROOT, env, timeout: 50_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, said: stdout + stderr }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the test runner', () => {
  it.each([
    ['a test', `it('waits', () => new Promise(() => {}), 50);`],
    ['a hook', `beforeAll(() => new Promise(() => {}), 50); it('waits', () => {});`],
    ['a test of a file with its own bound', `jest.setTimeout(50); it('waits', () => new Promise(() => {}));`],
  ])('ends and fails %s that never finishes', async (_what, text) => {
    const { code, said } = await runFile(text);
    expect([code, said]).toEqual([1, expect.stringContaining('timed out after 200 ms')]);
  });

  it('fails a file that cannot be loaded', async () => {
    const { code, said } = await runFile(`import './nothing.ts'; it('passes', () => {});`);
    expect([code, said]).toEqual([1, expect.stringContaining('nothing.ts')]);
  });

  it('does not end other tests because of a rejection that is awaited a moment later', async () => {
    const text = `it('waits', async () => {
      const refused = Promise.reject(new Error('refused'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      await expect(refused).rejects.toThrow('refused');
    });`;
    expect((await runFile(text)).code).toBe(0);
  });

  it('runs every file, even if a process is notified of another’s timeout before it listens', async () => {
    const slow = `import { registerHooks } from 'node:module';
    const load = (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith('/worker-runner.js')) return loaded;
      return { ...loaded, source: 'await new Promise((go) => setTimeout(go, 2_000));' + loaded.source };
    };
    if (process.env.TINYPOOL_WORKER_ID === '2') registerHooks({ load });`;
    const { code, said } = await runFiles([`it('passes', () => {});`, `it('passes', () => {});`], slow);
    expect([code, said]).toEqual([0, expect.stringContaining('2 passed')]);
  });
});
