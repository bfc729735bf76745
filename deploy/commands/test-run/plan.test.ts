import { onlyProjects, onRunningStack, planOf, type Side } from './plan.mjs';
import { projects } from './projects.mjs';

const names = (plan: readonly Side[]) =>
  Object.fromEntries(plan.map(({ name, runs }) => [name, runs.map((run) => [run.name, ...run.projects])]));

describe('the plan of `npm test`', () => {
  it('covers what nearly every change can break: units, and the contract and end-to-end tests with TLS', () => {
    expect(names(planOf({ all: false }))).toEqual({
      plain: [['unit', 'unit']],
      tls: [
        ['contract', 'contract'],
        ['e2e', 'e2e'],
      ],
    });
  });

  it('adds each other test once with `all`, and those that stop processes after all others of their stack', () => {
    const plan = planOf({ all: true });
    expect(names(plan)).toEqual({
      plain: [
        ['unit', 'unit', 'tooling'],
        ['foreign', 'foreign', 'model'],
        ['drills', 'drills'],
      ],
      tls: [
        ['contract', 'contract'],
        ['e2e', 'e2e'],
        ['console', 'console'],
        ['faults', 'faults'],
      ],
    });
    const covered = plan.flatMap(({ runs }) => runs.flatMap((run) => run.projects));
    expect(covered.toSorted()).toEqual(Object.keys(projects).toSorted());
  });

  it('runs the named tests once, and starts no stack unless one of them needs it', () => {
    const plan = planOf({ all: false, named: true });
    expect(names(onlyProjects(plan, ['tooling']))).toEqual({ plain: [['unit', 'tooling']] });
    expect(names(onlyProjects(plan, ['contract', 'foreign']))).toEqual({
      plain: [['foreign', 'foreign']],
      tls: [['contract', 'contract']],
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
    expect(runs.map(({ name }) => name)).toEqual(['unit', 'foreign', 'contract', 'e2e', 'console']);
  });
});
