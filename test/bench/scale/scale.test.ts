import { FITTED_TO, IDLE_MS, MEASURED, stepsOf } from './coefficients.ts';
import { CURVE } from './curve.ts';
import { simulate } from './simulate.ts';

const CORES = 2;
const SECONDS = 10;
/** As measured at 500 to 1,000 submissions a second. */
const LOAD_GENERATOR_MS = 0.25;

const simulated = (perSecond: number) =>
  simulate(
    {
      ...{ cores: CORES, steps: stepsOf(MEASURED), idleMs: IDLE_MS, loadGeneratorMs: LOAD_GENERATOR_MS },
      threads: { postgres: CORES },
    },
    perSecond,
    SECONDS,
  );
const total = (cpuMs: Readonly<Record<string, number>>) =>
  Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);

describe('the simulation of scale', () => {
  it.each(CURVE.map(({ perSecond, cpuMs }) => [perSecond, total(cpuMs)]))(
    'uses as much CPU for a submission at %d a second as was measured, within 15%%',
    (perSecond, measuredMs) => {
      const ratio = simulated(perSecond).cpuMs / measuredMs;
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.15);
    },
  );

  it('is checked at more rates than it was fitted to', () => {
    expect(CURVE.length - FITTED_TO.length).toBeGreaterThanOrEqual(4);
  });

  it('sustains the rate that was sustained, and not half as much again', () => {
    expect(simulated(1_000).isSustained).toBe(true);
    expect(simulated(1_500).isSustained).toBe(false);
  });
});
