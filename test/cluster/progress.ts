import { formatDuration, reasonOf } from '../../deploy/local/terminal.ts';
import type { Narrator } from './narrator.ts';

/** What was seen in a step, by name. */
export type Facts = Readonly<Record<string, string | number>>;

export interface StepResult {
  readonly name: string;
  readonly held: boolean;
  readonly milliseconds: number;
  readonly facts: Facts;
  /** Why it did not hold. */
  readonly reason?: string;
}

/** Runs steps one after the other, and says of each how long it took and what was seen. */
export interface Progress {
  /** Rejects as `work` does, once that is written down. */
  step(name: string, work: () => Promise<Facts>): Promise<void>;
  readonly results: readonly StepResult[];
}

/** `narrator` says which step is being done. */
export function progress(narrator: Pick<Narrator, 'now' | 'say' | 'pause'>): Progress {
  const { say } = narrator;
  const results: StepResult[] = [];
  const write = (result: StepResult) => {
    results.push(result);
    const { held, name, milliseconds, facts, reason } = result;
    say(`${held ? '✓' : '✗'} ${name.padEnd(72)} ${formatDuration(milliseconds).padStart(8)}`);
    for (const [what, value] of Object.entries(facts)) say(`    ${what.padEnd(28)} ${value}`);
    if (reason !== undefined) say(`    ${reason.replaceAll('\n', '\n    ')}`);
  };
  return {
    results,
    async step(name, work) {
      const begun = performance.now();
      narrator.now(name);
      const milliseconds = () => Math.round(performance.now() - begun);
      try {
        const facts = await work();
        write({ name, held: true, milliseconds: milliseconds(), facts });
      } catch (error) {
        write({ name, held: false, milliseconds: milliseconds(), facts: {}, reason: reasonOf(error) });
        throw error;
      } finally {
        narrator.pause();
      }
    },
  };
}
