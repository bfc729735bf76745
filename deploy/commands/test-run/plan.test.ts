import { onlyProjects, onRunningStack, planOf, type Side } from './plan.mjs';

const names = (plan: readonly Side[]) =>
  Object.fromEntries(plan.map(({ name, runs }) => [name, runs.map((run) => [run.name, ...run.projects])]));

describe('the plan of `npm test`', () => {
  it('covers every promise of the product once: units and the contract without TLS, end-to-end tests and faults with TLS', () => {
    expect(names(planOf({ all: false }))).toEqual({
      plain: [
        ['unit', 'unit'],
        ['contract', 'contract'],
      ],
      tls: [
        ['e2e', 'e2e'],
        ['faults', 'faults'],
      ],
    });
  });

  it('adds the tooling, the drills, and the contract over TLS before the faults with `all`', () => {
    expect(names(planOf({ all: true }))).toEqual({
      plain: [
        ['unit', 'unit', 'tooling'],
        ['contract', 'contract'],
        ['foreign', 'foreign'],
      ],
      tls: [
        ['e2e', 'e2e'],
        ['contract-tls', 'contract'],
        ['faults', 'faults'],
        ['drills', 'drills'],
      ],
    });
  });

  it('runs the named tests once, and starts no stack unless one of them needs it', () => {
    const plan = planOf({ all: false, named: true });
    expect(names(onlyProjects(plan, ['tooling']))).toEqual({ plain: [['unit', 'tooling']] });
    expect(names(onlyProjects(plan, ['contract', 'drills']))).toEqual({
      plain: [['contract', 'contract']],
      tls: [['drills', 'drills']],
    });
  });

  it('runs the unit tests in a time zone that is neither UTC nor London', () => {
    const runs = planOf({ all: true }).flatMap((side) => side.runs);
    expect(runs.flatMap(({ name, zone }) => (zone ? [[name, zone]] : []))).toEqual([
      ['unit', 'Pacific/Auckland'],
    ]);
  });

  it('ends no process of a stack that is in use', () => {
    const runs = onRunningStack(planOf({ all: true })).flatMap((side) => side.runs);
    expect(runs.map(({ name }) => name)).toEqual(['unit', 'contract', 'foreign', 'e2e']);
  });
});
