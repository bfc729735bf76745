import { formatDuration, reasonOf } from '../../deploy/local/terminal.ts';
import type { Narrator } from './narrator.ts';

/** The observations of a step, by name. */
export type Facts = Readonly<Record<string, string | number>>;

/** Runs steps sequentially and reports the time and the facts of each. */
export interface Progress {
  /** Rejects as `work` does. */
  step(name: string, work: () => Promise<Facts | undefined> | Promise<void>): Promise<void>;
  allHeld(): boolean;
}

export function progress({ now, say, pause }: Narrator): Progress {
  let held = true;
  return {
    allHeld: () => held,
    async step(name, work) {
      const startedAt = performance.now();
      const report = (mark: string) =>
        say(`${mark} ${name.padEnd(72)} ${formatDuration(performance.now() - startedAt).padStart(8)}`);
      now(name);
      try {
        const facts = await work();
        pause();
        report('✓');
        for (const [what, value] of Object.entries(facts ?? {})) say(`    ${what.padEnd(28)} ${value}`);
      } catch (error) {
        held = false;
        pause();
        report('✗');
        say(`    ${reasonOf(error).replaceAll('\n', '\n    ')}`);
        throw error;
      }
    },
  };
}
