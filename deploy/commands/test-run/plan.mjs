/**
 * Plans the runs of `npm test`: two sides, each with its own stack and sequential jest runs. A jest run needs either
 * only the stores, in which unit tests create databases, or the whole stack. `named` means that tests are selected by
 * path. Unit tests run far from UTC and London, because no figure may depend on a machine's time zone.
 */
export const planOf = ({ all, named = false }) => [
  {
    name: 'plain',
    flags: ['--unsynced'],
    runs: [
      {
        name: 'unit',
        projects: ['unit', ...(all || named ? ['tooling'] : [])],
        needs: 'stores',
        zone: 'Pacific/Auckland',
      },
      // These tests mostly wait for responses: one worker more than usual saves 15 s.
      { name: 'contract', projects: ['contract'], needs: 'stack', workers: 4 },
      ...(all || named ? [{ name: 'foreign', projects: ['foreign'], needs: 'stack', workers: 2 }] : []),
    ],
  },
  {
    name: 'tls',
    // Traced as well, because its tests follow requests end to end.
    flags: ['--secure', '--traced'],
    runs: [
      // Before the faults, which may leave damage. Includes browsers: with as many workers as the other side they would
      // be too slow.
      { name: 'e2e', projects: ['e2e'], needs: 'stack', workers: 2 },
      ...(all ? [{ name: 'contract-tls', projects: ['contract'], needs: 'stack', workers: 2 }] : []),
      // One at a time, so that a fault of one test doesn't affect another.
      { name: 'faults', projects: ['faults'], needs: 'stack', serial: true },
      ...(all || named ? [{ name: 'drills', projects: ['drills'], needs: 'stack', serial: true }] : []),
    ],
  },
];

/** Returns the part of a plan with these projects. */
export const onlyProjects = (plan, asked) =>
  withRuns(plan, (run) => {
    const projects = run.projects.filter((project) => asked.includes(project));
    return projects.length > 0 ? [{ ...run, projects }] : [];
  });

/** Returns the part of a plan for a running stack: the tests that kill no process. */
export const onRunningStack = (plan) => [
  {
    name: 'running',
    flags: [],
    runs: plan.flatMap(({ runs }) => runs).filter(({ name }) => HARMLESS.has(name)),
  },
];

const HARMLESS = new Set(['unit', 'contract', 'foreign', 'e2e']);

const withRuns = (plan, change) =>
  plan.map((side) => ({ ...side, runs: side.runs.flatMap(change) })).filter(({ runs }) => runs.length > 0);
