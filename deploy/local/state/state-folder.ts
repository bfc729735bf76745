import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The stack's state, by the names of files and folders. */
const PLACES = {
  instanceLock: 'stack.lock',
  processRecord: 'processes.json',
  ports: 'ports.json',
  postgres: 'postgres',
  postgresAccess: 'postgres-access.json',
  nats: 'nats',
  certificates: 'certificates',
  identity: 'identity',
  keyRings: 'key-rings',
  suppliers: 'suppliers.json',
  sampleData: 'sample-data.json',
  receiver: 'receiver',
  documents: 'documents',
  clamav: 'clamav',
  traces: 'traces',
  /** The customers that tests have used; the tests create it. */
  customers: 'customers',
  logs: 'logs',
  /** A process named in this folder stays down after it has ended. */
  hold: 'hold',
  stackFile: 'stack.json',
} as const;
type Place = keyof typeof PLACES;
const places = Object.keys(PLACES) as Place[];

/** `tools` is shared by all stacks of a checkout, and kept by `--fresh`. */
export type StateFolder = Readonly<Record<Place | 'path' | 'tools', string>>;

/** Lays out a state folder. `checkout` is the top folder of the repository. */
export function stateFolder(path: string, checkout: string): StateFolder {
  const paths = Object.fromEntries(places.map((place) => [place, join(path, PLACES[place])]));
  return { path, tools: join(checkout, '.run', 'tools'), ...(paths as Record<Place, string>) };
}

/** Creates the folders. With `fresh`, first deletes only what earlier runs left. */
export function prepareStateFolder(state: StateFolder, { fresh }: { fresh: boolean }): void {
  if (fresh)
    for (const place of places)
      if (place !== 'instanceLock') rmSync(state[place], { recursive: true, force: true });
  for (const path of [state.path, state.tools, state.logs, state.hold, state.receiver])
    mkdirSync(path, { recursive: true });
}
