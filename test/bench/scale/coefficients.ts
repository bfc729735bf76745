import { CURVE, type Measured, type ProcessName } from './curve.ts';
import type { Cost, Step } from './simulate.ts';

/** The CPU of each process: for a set, for a submission, and in a second without load. */
export type Coefficients = Readonly<Record<ProcessName, Cost & { readonly idleMs: number }>>;

/** The rates that the costs are fitted to; the others check the simulation. */
export const FITTED_TO = [20, 200, 500] as const;
/** Sets a second unless more than 12 submissions wait, and the size of a set from then on. */
const SETS_PER_SECOND = 50;
const FULL_SET = 12;

/** The sets that a submission takes part in, as a share of one, at each step. */
const setsOf = (perSecond: number) => Math.min(1, Math.max(SETS_PER_SECOND / perSecond, 1 / FULL_SET));

/** The costs that explain the measured CPU of each process at three rates exactly. */
function fit(curve: readonly Measured[]): Coefficients {
  const points = FITTED_TO.map((rate) => {
    const point = curve.find(({ perSecond }) => perSecond === rate);
    if (!point) throw new Error(`nothing was measured at ${rate} a second`);
    return point;
  });
  const costOf = (name: ProcessName) => {
    const rows = points.map(({ perSecond, cpuMs }) => [setsOf(perSecond), 1, 1 / perSecond, cpuMs[name]]);
    const [setMs = 0, itemMs = 0, idleMs = 0] = solve(rows);
    return { setMs, itemMs, idleMs };
  };
  return {
    gateway: costOf('gateway'),
    submission: costOf('submission'),
    billing: costOf('billing'),
    webhook: costOf('webhook'),
    nats: costOf('nats'),
    postgres: costOf('postgres'),
  };
}

/** Solves linear equations by elimination. Each row ends with its right side. */
function solve(rows: readonly (readonly number[])[]): number[] {
  const matrix = rows.map((row) => [...row]);
  const cell = (row: number, column: number) => matrix[row]?.[column] ?? 0;
  for (const [pivot] of matrix.entries())
    for (const [other, values] of matrix.entries()) {
      if (other === pivot) continue;
      const factor = cell(other, pivot) / cell(pivot, pivot);
      matrix[other] = values.map((value, column) => value - factor * cell(pivot, column));
    }
  return matrix.map((row, at) => (row.at(-1) ?? 0) / cell(at, at));
}

export const MEASURED = fit(CURVE);
export const IDLE_MS = Object.values(MEASURED).reduce((sum, { idleMs }) => sum + idleMs, 0);

const COMMIT_MS = 2;
const BEAT_MS = 20;
const MANY = 1_000;

/** The steps of a submission, from the request to the settled webhook: docs/walkthrough.md. */
export function stepsOf(costs: Coefficients): Step[] {
  /** Divides the CPU of a process among its steps. */
  const by = (name: ProcessName, steps: number) => {
    const { setMs, itemMs } = costs[name];
    return { by: name, setMs: setMs / steps, itemMs: itemMs / steps };
  };
  const postgres = by('postgres', 5);
  const step = (
    name: string,
    work: Step['work'],
    next: readonly string[],
    more: Partial<Step> = {},
  ): Step => ({
    ...{ name, work, next, waitMs: COMMIT_MS, beatMs: BEAT_MS, lanes: 1, maxSet: 64 },
    ...more,
  });
  return [
    step('limits', [by('gateway', 2), postgres], ['call'], { lanes: 2 }),
    step('call', [by('gateway', 2)], ['create'], { lanes: MANY, waitMs: 0 }),
    step('create', [by('submission', 2), postgres], ['publish'], { lanes: 2 }),
    step('publish', [by('submission', 2), by('nats', 1)], ['bill', 'record'], { beatMs: 0, maxSet: 256 }),
    step('bill', [by('billing', 1), postgres], []),
    step('record', [by('webhook', 2), postgres], ['send']),
    step('send', [], ['settle'], { beatMs: 0, lanes: MANY, maxSet: 1 }),
    step('settle', [by('webhook', 2), postgres], []),
  ];
}
