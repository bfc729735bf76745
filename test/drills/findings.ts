/** One thing that a drill promises, and whether it held. */
export interface Finding {
  readonly promise: string;
  readonly held: boolean;
  /** What was counted or seen, in a few words. */
  readonly seen: string;
}

/** A quantity that was measured on the way. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 's' | 'events' | 'MB' | 'kB' | 'requests';
}

export interface DrillResult {
  readonly drill: string;
  readonly findings: readonly Finding[];
  readonly figures: readonly Figure[];
}

/** Collects what a drill finds, and says each as it is found. */
export interface Findings {
  /** Notes a promise and whether it held. */
  found(promise: string, held: boolean, seen: string): void;
  /** The same for a promise that holds when nothing is among `exceptions`. */
  none(promise: string, exceptions: readonly string[], looked: string): void;
  measured(name: string, value: number, unit: Figure['unit']): void;
  result(drill: string): DrillResult;
}

const MAX_TOLD = 3;

export function findings(progress: (line: string) => void): Findings {
  const all: Finding[] = [];
  const figures: Figure[] = [];
  const found = (promise: string, held: boolean, seen: string) => {
    all.push({ promise, held, seen });
    progress(`${held ? 'held  ' : 'BROKEN'}  ${promise} (${seen})`);
  };
  return {
    found,
    none(promise, exceptions, looked) {
      const told = exceptions.slice(0, MAX_TOLD).join(', ');
      found(promise, exceptions.length === 0, told === '' ? looked : `${exceptions.length} do not: ${told}`);
    },
    measured(name, value, unit) {
      figures.push({ name, value: Math.round(value * 10) / 10, unit });
    },
    result: (drill) => ({ drill, findings: all, figures }),
  };
}

/** Whether everything was looked at and held. */
export const allHeld = ({ findings: all }: DrillResult): boolean =>
  all.length > 0 && all.every(({ held }) => held);

/** The result for people: one line for each promise, and the figures. */
export function describeDrill(result: DrillResult): string {
  const { drill, findings: all, figures } = result;
  const broken = all.filter(({ held }) => !held).length;
  return [
    ...all.map(({ promise, held, seen }) => `${held ? 'held  ' : 'BROKEN'}  ${promise} (${seen})`),
    '',
    ...figures.map(({ name, value, unit }) => `${name}: ${value} ${unit}`),
    `${drill}: ${all.length - broken} of ${all.length} promises held`,
  ].join('\n');
}
