import {
  describeEnding,
  launch,
  type RunningProcess,
} from '../../../deploy/local/supervisor/running-process.ts';

const READY_MS = 120_000;
const STOP_MS = 5_000;

/** Starts processes in `folder` that run until they are killed. Each logs to NAME.log in `logs`. */
export function startDaemons(folder: string, logs: string) {
  const running = new Map<string, RunningProcess>();
  const { promise: broken, reject: fail } = Promise.withResolvers<never>();
  // Prevents an unhandled rejection.
  broken.catch(() => undefined);
  return {
    /** Rejects when a process exits without having been killed. */
    broken,
    /** Resolves when the process is ready; rejects with its last output otherwise. */
    async start(
      name: string,
      [command, ...args]: readonly [string, ...string[]],
      isReady: () => Promise<boolean>,
    ): Promise<void> {
      const options = {
        ...{ name, command, args, cwd: folder, env: { PATH: process.env.PATH ?? '' }, channel: false },
        ...{ stopSignal: 'SIGTERM' as const, stopWithinMs: STOP_MS, isReady, readyWithinMs: READY_MS },
      };
      const life = await launch(options, logs);
      running.set(name, life);
      if (!(await life.ready())) {
        await life.stop();
        throw new Error(
          `${name} failed to start (${describeEnding(await life.ended)}); see its log in ${logs}`,
        );
      }
      void life.ended.then((ending) => {
        if (running.get(name) === life) fail(new Error(`${name} ended: ${describeEnding(ending)}`));
      });
    },
    async kill(name: string): Promise<void> {
      const life = running.get(name);
      running.delete(name);
      life?.kill();
      await life?.ended;
    },
  };
}
