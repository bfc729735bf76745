import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where each thing that the stack remembers lies. */
export interface StateFolder {
  readonly path: string;
  /** Downloaded and built tools; shared by all stacks of a checkout and kept by `--fresh`. */
  readonly tools: string;
  readonly instanceLock: string;
  readonly processRecord: string;
  readonly ports: string;
  readonly postgres: string;
  readonly postgresAccess: string;
  readonly nats: string;
  readonly certificates: string;
  readonly identity: string;
  readonly keyRings: string;
  readonly suppliers: string;
  readonly receiver: string;
  /** Files of suppliers' customers, as the document service keeps them. */
  readonly documents: string;
  readonly clamav: string;
  /** What the collector of traces keeps. */
  readonly traces: string;
  readonly logs: string;
  /** A file in here named like a process keeps that process down after it ended. */
  readonly hold: string;
  readonly stackFile: string;
}

/** Lays out a state folder. `checkout` is the top folder of the repository. */
export function stateFolder(path: string, checkout: string): StateFolder {
  const at = (name: string) => join(path, name);
  return {
    path,
    tools: join(checkout, '.run', 'tools'),
    instanceLock: at('stack.lock'),
    processRecord: at('processes.json'),
    ports: at('ports.json'),
    postgres: at('postgres'),
    postgresAccess: at('postgres-access.json'),
    nats: at('nats'),
    certificates: at('certificates'),
    identity: at('identity'),
    keyRings: at('key-rings'),
    suppliers: at('suppliers.json'),
    receiver: at('receiver'),
    documents: at('documents'),
    clamav: at('clamav'),
    traces: at('traces'),
    logs: at('logs'),
    hold: at('hold'),
    stackFile: at('stack.json'),
  };
}

/** Makes the folders; with `fresh`, forgets first what earlier runs left, and nothing that is not ours. */
export function prepareStateFolder(state: StateFolder, { fresh }: { fresh: boolean }): void {
  if (fresh) for (const path of forgettable(state)) rmSync(path, { recursive: true, force: true });
  for (const path of [state.path, state.tools, state.logs, state.hold, state.receiver])
    mkdirSync(path, { recursive: true });
}

const forgettable = (state: StateFolder) => [
  state.processRecord,
  state.ports,
  state.postgres,
  state.postgresAccess,
  state.nats,
  state.certificates,
  state.identity,
  state.keyRings,
  state.suppliers,
  state.receiver,
  state.documents,
  state.clamav,
  state.traces,
  state.logs,
  state.hold,
  state.stackFile,
];
