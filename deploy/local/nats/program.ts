import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { writePrivateFile } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import { parentBound } from '../supervisor/wrapper.ts';
import { type NatsSecurity, natsConfig } from './config.ts';

const GREETING_MS = 2_000;

/**
 * NATS with JetStream on files in the state folder; with the certificate and the users of `security`, where it has any.
 * Messages are put on the disk every second, unless `synced` is false.
 */
export function natsProgram(
  server: string,
  state: StateFolder,
  port: number,
  security?: NatsSecurity,
  synced = true,
): Program {
  const config = join(state.nats, 'nats-server.conf');
  const storage = join(state.nats, 'storage');
  return {
    name: 'nats',
    ...parentBound('TERM').wrap(server, ['--config', config]),
    env: { PATH: process.env.PATH ?? '' },
    cwd: state.path,
    stopSignal: 'SIGTERM',
    stopWithinMs: 10_000,
    channel: false,
    // Written again each time: the storage may have been deleted as a whole while the server was down.
    prepare: () => {
      mkdirSync(storage, { recursive: true });
      const text = natsConfig({ port, storage, security, synced });
      writePrivateFile(config, text);
    },
    isReady: () => greets(port),
    readyWithinMs: 600_000,
  };
}

/** A NATS server greets each client with a line that begins with INFO; it does so only once JetStream is up. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(GREETING_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('data', (chunk) => finish(chunk.toString('latin1').startsWith('INFO ')));
  });
}
