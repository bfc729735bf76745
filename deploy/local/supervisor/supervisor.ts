import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify } from '../state/lock-file.mjs';
import { writePrivateJson } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { CannotStart, formatDuration, reasonOf, type Terminal } from '../terminal.ts';
import type { Program } from './program.ts';
import { describeEnding, launch, type RunningProcess } from './running-process.ts';

const BACK_OFF_MS = { first: 1_000, longest: 15_000, forgottenAfter: 30_000 };
const HOLD_POLL_MS = 200;

/** Starts, restarts and stops programs. */
export type Supervisor = ReturnType<typeof createSupervisor>;

interface Keeper {
  current: RunningProcess | undefined;
  readonly retired: AbortController;
  loop: Promise<void>;
}

/** Creates a supervisor. `changed` is called when a program has a new process. */
export function createSupervisor(state: StateFolder, terminal: Terminal, changed: () => void) {
  const keepers = new Map<string, Keeper>();
  const closers: (() => Promise<void>)[] = [];
  let closed = false;

  const pids = (): Record<string, number> =>
    Object.fromEntries([...keepers].flatMap(([name, { current }]) => (current ? [[name, current.pid]] : [])));

  const spawn = async (program: Program, keeper: Keeper): Promise<RunningProcess> => {
    const running = await launch(program, state.logs);
    keeper.current = running;
    void running.ended.then(() => {
      if (keeper.current === running) keeper.current = undefined;
    });
    recordProcesses(state.processRecord, pids());
    changed();
    if (closed) await running.stop();
    return running;
  };

  const keepAlive = async (program: Program, keeper: Keeper, first: RunningProcess): Promise<void> => {
    const { signal } = keeper.retired;
    let running: RunningProcess | undefined = first;
    for (let delay = BACK_OFF_MS.first; ; delay = Math.min(delay * 2, BACK_OFF_MS.longest)) {
      const since = Date.now();
      const ending = running ? await running.ended : undefined;
      if (signal.aborted) return;
      if (Date.now() - since > BACK_OFF_MS.forgottenAfter) delay = BACK_OFF_MS.first;
      if (ending)
        terminal.warn(
          `${program.name} exited (${describeEnding(ending)}); restarting in ${formatDuration(delay)}`,
        );
      await rest(delay, join(state.hold, program.name), signal);
      if (signal.aborted) return;
      const restarted = Date.now();
      try {
        running = await spawn(program, keeper);
        if (await running.ready())
          terminal.say(`${program.name} is back after ${formatDuration(Date.now() - restarted)}`);
        else if (keeper.current)
          terminal.warn(`${program.name} is running again but not responding; see ${logOf(program)}`);
      } catch (error) {
        running = undefined;
        terminal.warn(`cannot start ${program.name}: ${reasonOf(error)}`);
      }
    }
  };

  const stopOne = async (name: string): Promise<void> => {
    const keeper = keepers.get(name);
    if (!keeper) return;
    keeper.retired.abort();
    await keeper.current?.stop();
    await keeper.loop;
    recordProcesses(state.processRecord, pids());
  };

  const logOf = (program: Program) => join(state.logs, `${program.name}.log`);

  return {
    pids,
    /** Starts a program and waits until it is ready. Throws CannotStart. */
    async start(program: Program): Promise<void> {
      if (closed) throw new CannotStart(`not starting ${program.name}: the stack is stopping`);
      const keeper: Keeper = { current: undefined, retired: new AbortController(), loop: Promise.resolve() };
      keepers.set(program.name, keeper);
      const running = await spawn(program, keeper);
      if (!(await running.ready())) {
        const still = keeper.current !== undefined;
        await running.stop();
        const { how, lastWords } = await running.ended;
        const what = still
          ? `did not respond within ${formatDuration(program.readyWithinMs)}`
          : `ended (${how})`;
        throw new CannotStart(
          `${program.name} ${what}${lastWords ? `: ${lastWords}` : ''} (log: ${logOf(program)})`,
        );
      }
      keeper.loop = keepAlive(program, keeper, running);
    },
    /** Calls `close` before everything is stopped or killed. */
    onStop(close: () => Promise<void>): void {
      closers.push(close);
    },
    /** Stops everything for good, one group after the other. */
    async stop(groups: readonly (readonly string[])[]): Promise<void> {
      closed = true;
      for (const close of closers.splice(0)) await close();
      for (const names of groups) await Promise.all(names.map(stopOne));
    },
    killAll(): void {
      closed = true;
      for (const close of closers.splice(0)) void close();
      for (const { retired, current } of keepers.values()) {
        retired.abort();
        current?.kill();
      }
    },
  };
}

/** Waits for the back-off, and for as long as the hold file exists. */
async function rest(delay: number, holdFile: string, signal: AbortSignal): Promise<void> {
  try {
    await pause(delay, undefined, { signal });
    while (existsSync(holdFile)) await pause(HOLD_POLL_MS, undefined, { signal });
  } catch {
    // Stopped for good.
  }
}

/** For `endLeftovers`, if this process is killed. */
function recordProcesses(path: string, pids: Record<string, number>): void {
  const identities = Object.entries(pids).map(([name, pid]) => [name, identify(pid)]);
  writePrivateJson(path, Object.fromEntries(identities));
}
