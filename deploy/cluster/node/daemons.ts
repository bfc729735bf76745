import { type Ending, launch, type RunningProcess } from '../../local/supervisor/running-process.ts';

const READY_MS = 120_000;
const STOP_MS = 5_000;

/** Processes that are to run until all of them are ended from outside. */
export interface Daemons {
  /** Resolves when it is ready; rejects with what it last said when it does not get there within two minutes. */
  start(
    name: string,
    commandLine: readonly [string, ...string[]],
    isReady: () => Promise<boolean>,
  ): Promise<void>;
  /** Ends one at once; resolves when it has ended. */
  kill(name: string): Promise<void>;
  /** Rejects when one ends that was not killed. */
  readonly broken: Promise<never>;
}

/** They run in `folder`; what each prints goes to NAME.log in `logs`. */
export function startDaemons(folder: string, logs: string): Daemons {
  const running = new Map<string, RunningProcess>();
  let fail: (reason: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Nobody may be waiting.
  broken.catch(() => undefined);
  return {
    broken,
    async start(name, [command, ...args], isReady) {
      const life = await launch(
        {
          ...{ name, command, args, cwd: folder, env: { PATH: process.env.PATH ?? '' }, channel: false },
          ...{ stopSignal: 'SIGTERM', stopWithinMs: STOP_MS, isReady, readyWithinMs: READY_MS },
        },
        logs,
      );
      running.set(name, life);
      if (!(await life.ready())) {
        await life.stop();
        throw new Error(`${name} did not come up (${describe(await life.ended)}); its log is in ${logs}`);
      }
      void life.ended.then((ending) => {
        if (running.get(name) === life) fail(new Error(`${name} ended: ${describe(ending)}`));
      });
    },
    async kill(name) {
      const life = running.get(name);
      running.delete(name);
      life?.kill();
      await life?.ended;
    },
  };
}

const describe = ({ how, lastWords }: Ending) => (lastWords ? `${how}: ${lastWords}` : how);
