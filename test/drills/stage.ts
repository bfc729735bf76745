import { rmSync } from 'node:fs';
import { bringUp, type RunningStack } from '../../deploy/local/bring-up.ts';
import { servicesWithDatabase } from '../../deploy/local/services/process-table.ts';
import { takeInstanceLock } from '../../deploy/local/state/instance-lock.ts';
import { identify, isRunning, type ProcessIdentity } from '../../deploy/local/state/lock-file.mjs';
import { type PortClaims, portClaims } from '../../deploy/local/state/port-claims.ts';
import { prepareStateFolder, type StateFolder, stateFolder } from '../../deploy/local/state/state-folder.ts';
import { endLeftovers } from '../../deploy/local/supervisor/end-leftovers.ts';
import { createSupervisor, type Supervisor } from '../../deploy/local/supervisor/supervisor.ts';
import type { Terminal } from '../../deploy/local/terminal.ts';
import { waitUntil } from '../../deploy/local/wait-until.ts';

const STOP_ORDER = [
  ['gateway', 'production'],
  [...servicesWithDatabase, 'scanner'],
  ['clamd'],
  ['receiver'],
  ['nats', 'nats2', 'nats3'],
  ['postgres', 'postgres2'],
];
const GONE_MS = 60_000;

export interface Place {
  readonly checkout: string;
  readonly folder: string;
  readonly secure: boolean;
}

/** A stack in its own folder, which a drill starts, destroys and restarts. */
export interface Stage extends Place {
  readonly state: StateFolder;
  readonly progress: (line: string) => void;
  /** Runs programs outside a complete stack. */
  supervisor(): Supervisor;
  /** The ports that this stack intends to use. */
  claims(): PortClaims;
  /** Starts the whole stack, with these PostgreSQL settings added to the usual ones. */
  start(postgres?: Readonly<Record<string, string>>): Promise<RunningStack>;
  /** Kills every process (SIGKILL), and waits until they are gone. */
  lose(): Promise<void>;
  /** Stops every process in order. */
  stop(): Promise<void>;
}

/** Runs `work` on a stage and removes everything afterwards. Throws CannotStart when another drill uses the folder. */
export async function onStage<Result>(
  place: Place,
  progress: (line: string) => void,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const state = stateFolder(place.folder, place.checkout);
  prepareStateFolder(state, { fresh: false });
  const release = takeInstanceLock(state.instanceLock, state.path);
  const terminal: Terminal = { say: progress, warn: progress };
  let claims: PortClaims | undefined;
  let supervisor: Supervisor | undefined;
  const stage: Stage = {
    ...place,
    state,
    progress,
    claims() {
      claims ??= portClaims();
      return claims;
    },
    supervisor() {
      supervisor ??= createSupervisor(state, terminal, () => {});
      return supervisor;
    },
    start: (postgres = {}) =>
      bringUp({
        ...place,
        from: 'sources',
        state,
        supervisor: stage.supervisor(),
        claims: stage.claims(),
        terminal,
        postgres,
      }),
    async lose() {
      const processes = Object.values(supervisor?.pids() ?? {}).map(identify);
      supervisor?.killAll();
      await allGone(processes);
      forget();
    },
    async stop() {
      await supervisor?.stop(STOP_ORDER);
      forget();
    },
  };
  const forget = () => {
    claims?.release();
    claims = undefined;
    supervisor = undefined;
  };
  try {
    await endLeftovers(state.processRecord);
    prepareStateFolder(state, { fresh: true });
    return await work(stage);
  } finally {
    await stage.stop();
    rmSync(state.path, { recursive: true, force: true });
    release();
  }
}

async function allGone(processes: readonly (ProcessIdentity | undefined)[]): Promise<void> {
  const left = () => processes.filter((process) => process && isRunning(process));
  const gone = await waitUntil(() => left().length === 0 || undefined, { withinMs: GONE_MS, everyMs: 20 });
  if (!gone) throw new Error(`${left().length} processes did not exit`);
}
