import { withValues } from './examples.ts';
import type { Helm, Values } from './helm.ts';

/** Wrong values: what they are, assignments on top of other values, and a part of the expected error. */
export type Rejection = readonly [what: string, values: Values, set: readonly string[], message: string];

/**
 * Returns those that the chart doesn't reject with their message. Renders values together that don't set the same, since
 * the chart reports all faults at once, and what wasn't reported again alone.
 */
export async function notRejected(helm: Helm, all: readonly Rejection[]): Promise<string[]> {
  const groups: Rejection[][] = [];
  for (const one of all) {
    const open = groups.find((group) => group.every((other) => areApart(one, other)));
    if (open) open.push(one);
    else groups.push([one]);
  }
  const left = await Promise.all(groups.map((group) => notIn(helm, group)));
  const alone = await Promise.all(left.flat().map((one) => notIn(helm, [one])));
  return alone.flat().map(([what]) => what);
}

async function notIn(helm: Helm, group: readonly Rejection[]): Promise<Rejection[]> {
  const [values = {}] = group.map((one) => one[1]);
  const { ok, output } = await helm.template(withValues(values, ...group.flatMap(([, , set]) => set)));
  return group.filter(([, , , message]) => ok || !output.includes(message));
}

const pathsOf = ([, , set]: Rejection) => set.map((assignment) => `${assignment.split('=')[0]}.`);

/** Returns whether two change the same values in different places. */
const areApart = (one: Rejection, other: Rejection) =>
  one[1] === other[1] &&
  pathsOf(one).every((path) => pathsOf(other).every((its) => !path.startsWith(its) && !its.startsWith(path)));
