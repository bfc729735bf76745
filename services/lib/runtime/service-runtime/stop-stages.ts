import type { Logger } from '../log/index.ts';

/** First listeners that accept requests, then background workers, then the connections that both need. */
const STAGES = ['listeners', 'workers', 'connections'] as const;

/** When a part stops. The parts of a stage stop concurrently. */
export type StopStage = (typeof STAGES)[number];

export type StopHook = () => Promise<void> | void;

export class StopStages {
  readonly #hooks: { what: string; stop: StopHook; stage: StopStage }[] = [];
  readonly running = new Set<string>();

  add(what: string, stop: StopHook, stage: StopStage = 'workers'): void {
    this.#hooks.push({ what, stop, stage });
  }

  /** Stops one stage after another. A part that fails is logged and does not hold up the others. */
  async stop(log: Logger): Promise<void> {
    for (const stage of STAGES) {
      await Promise.all(
        this.#hooks.filter((hook) => hook.stage === stage).map((hook) => this.#stopOne(hook, log)),
      );
    }
  }

  async #stopOne({ what, stop }: { what: string; stop: StopHook }, log: Logger): Promise<void> {
    this.running.add(what);
    try {
      await stop();
    } catch (err) {
      log.error({ err, resource: what }, 'shutdown hook failed');
    } finally {
      this.running.delete(what);
    }
  }
}
