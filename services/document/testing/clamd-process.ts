import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, isTested } from '@supplier/lib/testing';
import { clamdConf } from '../src/scan/clamd/clamd-settings.ts';
import { eicarSignatureFile } from './eicar.ts';

/** The path in Debian's package. */
const CLAMD = '/usr/sbin/clamd';
const ABSENT = `there is no ${CLAMD}: apt-get install -y clamav-daemon`;
const START_MS = 120_000;

/** A real clamd started for one test, with a test signature. */
export interface ClamdProcess {
  readonly address: { readonly path: string };
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts clamd on a new socket; the caller stops it. */
export async function startClamd(settings: Readonly<Record<string, string>> = {}): Promise<ClamdProcess> {
  if (!existsSync(CLAMD)) throw new Error(ABSENT);
  const folder = mkdtempSync(join(tmpdir(), 'clamd-'));
  const at = (name: string) => join(folder, name);
  for (const name of ['signatures', 'temporary']) mkdirSync(at(name));
  writeFileSync(at('signatures/local.ndb'), eicarSignatureFile());
  const path = at('socket');
  const conf = clamdConf({
    LocalSocket: path,
    DatabaseDirectory: at('signatures'),
    TemporaryDirectory: at('temporary'),
    ...settings,
  });
  writeFileSync(at('clamd.conf'), conf);
  const clamd = spawn(CLAMD, ['--config-file', at('clamd.conf')], { stdio: 'ignore' });
  const stop = async () => {
    await ended(clamd);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually('clamd answers', () => answers({ path }), START_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: { path }, pid: clamd.pid ?? 0, stop };
}

function answers(address: { path: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => socket.write('zPING\0'));
    socket.once('error', () => resolve(false));
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString('latin1') === 'PONG\0');
    });
  });
}

async function ended(clamd: ChildProcess): Promise<void> {
  if (clamd.exitCode !== null || clamd.signalCode !== null) return;
  const exit = once(clamd, 'exit');
  clamd.kill('SIGKILL');
  await exit;
}

/**
 * Declares a suite that needs clamd. Without clamd it is skipped with a warning; with CI=true it runs and fails, so
 * that no pipeline passes without a scanner.
 */
export function describeWithClamd(name: string, suite: () => void): void {
  const runs = isTested('a real clamd', existsSync(CLAMD), ['clamav-daemon']);
  const declare = runs ? describe : describe.skip;
  declare(name, suite);
}
