import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import { boundToParent } from '../supervisor/wrapper.ts';
import { greets } from '../wait-until.ts';
import { type NatsSecurity, natsConfig } from './config.ts';

/** NATS with JetStream on files in the state folder. Messages are synced every second unless `synced` is false. */
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
    ...boundToParent('TERM', server, ['--config', config]),
    env: { PATH: process.env.PATH ?? '' },
    cwd: state.path,
    ...{ stopSignal: 'SIGTERM', stopWithinMs: 10_000, channel: false },
    // Each time, because the storage may have been deleted meanwhile.
    prepare: () => {
      mkdirSync(storage, { recursive: true });
      writePrivateFile(config, natsConfig({ port, storage, security, synced }));
    },
    // The server sends this once JetStream is ready.
    isReady: () => greets(port, 'INFO '),
    readyWithinMs: 600_000,
  };
}
