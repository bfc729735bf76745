/** One promise that a drill checks, and whether it held. */
export interface Finding {
  readonly promise: string;
  readonly held: boolean;
  /** A short summary of the counts and observations. */
  readonly seen: string;
}

/** A quantity measured during a drill. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 's' | 'events' | 'MB' | 'kB' | 'requests' | 'submissions' | 'times';
}

export interface DrillResult {
  readonly drill: string;
  readonly findings: readonly Finding[];
  readonly figures: readonly Figure[];
}

/** Collects a drill's findings, and reports each as it is found. */
export interface Findings {
  /** Records a promise and whether it held. */
  found(promise: string, held: boolean, seen: string): void;
  /** Records a promise that holds when there are no `exceptions`. */
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

/** Returns whether something was checked and everything held. */
export const allHeld = ({ findings: all }: DrillResult): boolean =>
  all.length > 0 && all.every(({ held }) => held);

/** Formats the result for people: one line per promise, and the figures. */
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
