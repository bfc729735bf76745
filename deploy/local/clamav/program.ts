import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { clamdConf } from '../../../services/document/src/scan/clamd/server-settings.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import { parentBound } from '../supervisor/wrapper.ts';
import type { Signatures } from './signatures.ts';

const ANSWER_MS = 2_000;

/** clamd on the loopback address, with its files in the state folder. */
export function clamdProgram(
  clamd: string,
  state: StateFolder,
  signatures: Signatures,
  port: number,
): Program {
  const config = join(state.clamav, 'clamd.conf');
  const temporary = join(state.clamav, 'temporary');
  const settings = {
    TCPAddr: '127.0.0.1',
    TCPSocket: String(port),
    DatabaseDirectory: signatures.folder,
    TemporaryDirectory: temporary,
    // Loading the official databases a second time beside the first would take as much memory again.
    ConcurrentDatabaseReload: 'no',
  };
  return {
    name: 'clamd',
    ...parentBound('TERM').wrap(clamd, ['--config-file', config]),
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
    cwd: state.path,
    stopSignal: 'SIGTERM',
    stopWithinMs: 10_000,
    channel: false,
    prepare: () => {
      mkdirSync(temporary, { recursive: true });
      writeFileSync(config, clamdConf(settings));
    },
    isReady: () => answersPing(port),
    readyWithinMs: 600_000,
  };
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('zPING\0'));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('data', (chunk) => finish(chunk.toString('latin1') === 'PONG\0'));
  });
}
