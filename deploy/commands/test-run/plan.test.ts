import { onlyProjects, onRunningStack, planOf, type Side } from './plan.mjs';

const names = (plan: readonly Side[]) =>
  Object.fromEntries(plan.map(({ name, runs }) => [name, runs.map((run) => [run.name, ...run.projects])]));

describe('what `npm test` runs', () => {
  it('is every promise of the product once: units and the contract in the clear, from end to end and the faults over TLS', () => {
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

  it('is, with all, also the tooling, the drills, and the contract over TLS before a fault leaves scars', () => {
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

  it('is, of named tests, what holds them and nothing twice, without a stack that none of them needs', () => {
    const plan = planOf({ all: false, named: true });
    expect(names(onlyProjects(plan, ['tooling']))).toEqual({ plain: [['unit', 'tooling']] });
    expect(names(onlyProjects(plan, ['contract', 'drills']))).toEqual({
      plain: [['contract', 'contract']],
      tls: [['drills', 'drills']],
    });
  });

  it('ends no process of a stack that somebody works with', () => {
    const runs = onRunningStack(planOf({ all: true })).flatMap((side) => side.runs);
    expect(runs.map(({ name }) => name)).toEqual(['unit', 'contract', 'foreign', 'e2e']);
  });
});
