import { join } from 'node:path';
import type { Certificates } from '../identity/make-certificates.ts';
import { type NodeRuntime, nodeProgram } from '../services/node-runtime.ts';
import { writePrivateJson } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';

export interface ReceiverConfig {
  readonly endpointPort: number;
  readonly eventsPort: number;
  readonly loginPort: number;
  readonly certificate: string;
  readonly key: string;
  readonly secrets: string;
  readonly suppliers: readonly string[];
  /** Folder of the token issuer. */
  readonly identity: string;
  /** Where to scan documents for the EICAR test file, on a machine without clamd. */
  readonly clamdPort?: number;
}

export const receiverSecrets = (state: StateFolder) => join(state.receiver, 'secrets.json');

/** The process of the webhook receiver, the login and, on a machine without clamd, the scanner. */
export function receiverProgram(options: {
  state: StateFolder;
  node: NodeRuntime;
  ports: { receiver: number; receiverEvents: number; login: number; clamd: number };
  certificates: Certificates;
  suppliers: readonly string[];
  scansItself?: boolean;
}): Program {
  const { state, node, ports, certificates, suppliers, scansItself } = options;
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
    ...(scansItself && { clamdPort: ports.clamd }),
  };
  writePrivateJson(path, config);
  return nodeProgram(node, 'receiver', ['deploy/local/receiver/main.ts', path], ports.receiverEvents);
}
