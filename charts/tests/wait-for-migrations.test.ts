import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHART } from './helm.ts';

const SCRIPT = readFileSync(join(CHART, 'files', 'wait-for-migrations.mjs'), 'utf8');
/** Replaces a service's command: reports everything as applied when a file of that name exists. */
const MIGRATE = `
import { existsSync } from 'node:fs';
const done = existsSync('applied');
console.log(process.argv.slice(2).join(' '), done ? 'applied' : 'missing');
process.exit(done ? 0 : 1);`;

describe('wait-for-migrations script', () => {
  let folder: string;
  let waiting: ChildProcess;
  let said: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wait-for-migrations-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'migrate.mjs'), MIGRATE);
  });
  afterEach(() => {
    waiting.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Starts the script like the chart: as an argument, in the image's folder. */
  function start(seconds: number): Promise<number> {
    said = '';
    waiting = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
      cwd: folder,
      env: { WAIT_SECONDS: String(seconds) },
    });
    waiting.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    return once(waiting, 'close').then(([code]) => code as number);
  }
  /** Resolves when the container prints the words; rejects if it exits first. */
  async function heard(words: string): Promise<void> {
    const gone = once(waiting, 'close').then(() => Promise.reject(new Error(`it said only: ${said}`)));
    gone.catch(() => {});
    const { stdout } = waiting;
    while (stdout && !said.includes(words)) await Promise.race([once(stdout, 'data'), gone]);
  }

  it('waits while a migration is missing and exits when all are applied', async () => {
    const ended = start(60);
    await heard('--status missing');
    writeFileSync(join(folder, 'applied'), '');
    expect(await ended).toBe(0);
    expect(said).toBe('--status missing\n--status applied\n');
  });

  it('gives up when the time is over, so that the pod reports it', async () => {
    expect(await start(0)).toBe(1);
    expect(said).toContain('not applied in time');
  });

  it('exits immediately when the pod is deleted', async () => {
    const ended = start(60);
    await heard('--status missing');
    waiting.kill('SIGTERM');
    expect(await ended).toBe(143);
  });
});
