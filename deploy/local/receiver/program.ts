import { join } from 'node:path';
import type { Certificates } from '../identity/make-certificates.ts';
import { answersReady } from '../services/answers-ready.ts';
import type { NodeRuntime } from '../services/node-runtime.ts';
import { writePrivateJson } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import type { ReceiverConfig } from './config.ts';

/** Where the receiver finds the signing secrets. */
export const receiverSecrets = (state: StateFolder) => join(state.receiver, 'secrets.json');

/** The local webhook receiver as a process of its own, which also serves the login page: at rest neither needs one alone. */
export function receiverProgram(options: {
  state: StateFolder;
  node: NodeRuntime;
  ports: { receiver: number; receiverEvents: number; login: number };
  certificates: Certificates;
  suppliers: readonly string[];
}): Program {
  const { state, node, ports, certificates, suppliers } = options;
  const path = join(state.receiver, 'config.json');
  const config: ReceiverConfig = {
    endpointPort: ports.receiver,
    eventsPort: ports.receiverEvents,
    certificate: certificates.certificate,
    key: certificates.key,
    secrets: receiverSecrets(state),
    suppliers,
    loginPort: ports.login,
    identity: state.identity,
  };
  writePrivateJson(path, config);
  return {
    name: 'receiver',
    command: node.command,
    args: [...node.flags, join(node.checkout, 'deploy/local/receiver/main.ts'), path],
    env: node.env,
    cwd: node.checkout,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5_000,
    channel: true,
    isReady: () => answersReady(ports.receiverEvents),
    readyWithinMs: 30_000,
  };
}
