import type { Logger } from '../log/index.ts';

/**
 * When a part stops: first what accepts requests, then background workers, then what both need. The parts of a stage
 * stop concurrently.
 */
export type StopStage = 'listeners' | 'workers' | 'connections';

const STAGES: readonly StopStage[] = ['listeners', 'workers', 'connections'];

export type StopHook = () => Promise<void> | void;

/** What must be stopped before a process may end. */
export class StopStages {
  readonly #hooks: { what: string; stop: StopHook; stage: StopStage }[] = [];
  readonly #running = new Set<string>();

  add(what: string, stop: StopHook, stage: StopStage = 'workers'): void {
    this.#hooks.push({ what, stop, stage });
  }

  /** The parts that are being stopped and have not ended yet. */
  get running(): readonly string[] {
    return [...this.#running];
  }

  /** Stops one stage after the other. A part that fails is logged and does not hold up the others. */
  async stop(log: Logger): Promise<void> {
    for (const stage of STAGES) {
      await Promise.all(
        this.#hooks.filter((hook) => hook.stage === stage).map((hook) => this.#stopOne(hook, log)),
      );
    }
  }

  async #stopOne({ what, stop }: { what: string; stop: StopHook }, log: Logger): Promise<void> {
    this.#running.add(what);
    try {
      await stop();
    } catch (err) {
      log.error({ err, resource: what }, 'shutdown hook failed');
    } finally {
      this.#running.delete(what);
    }
  }
}
