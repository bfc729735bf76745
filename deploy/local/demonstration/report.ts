import type { Terminal } from '../terminal.ts';

/** Shows steps and figures, and remembers whether all of them held. */
export interface Report {
  /** One step with what was seen; `expected` says what would have been right when it did not hold. */
  step(title: string, held: boolean, seen: readonly string[], expected: string): void;
  /** One figure against its bound. A busy machine can miss a bound, so that is shown and decides nothing. */
  figure(name: string, value: number, bound: number, format: (value: number) => string): void;
  allHeld(): boolean;
}

export function createReport(terminal: Terminal): Report {
  let steps = 0;
  let held = true;
  return {
    step(title, ok, seen, expected) {
      steps += 1;
      held &&= ok;
      terminal.say(`\n${ok ? '✓' : '✗'} ${steps}. ${title}`);
      for (const line of seen) terminal.say(`     ${line}`);
      if (!ok) terminal.say(`     expected: ${expected}`);
    },
    figure(name, value, bound, format) {
      const verdict = value <= bound ? `within ${format(bound)}` : `MISSED: the bound is ${format(bound)}`;
      terminal.say(`  ${name.padEnd(44)} ${format(value).padStart(9)}   ${verdict}`);
    },
    allHeld: () => held,
  };
}
