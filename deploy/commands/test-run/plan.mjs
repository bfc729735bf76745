/**
 * Plans the runs of `npm test`: two sides, each with its own stack and sequential jest runs. A jest run needs either
 * only the stores, in which unit tests create databases, or the whole stack. `named` means that tests are selected by
 * path. Without it or `all`, a change's author runs what nearly every change can break: units on one side, the contract
 * and end-to-end tests on the other. Unit tests run far from UTC and London, because no figure may depend on a
 * machine's time zone.
 */
export const planOf = ({ all, named = false }) => {
  const more = all || named;
  return [
    {
      name: 'plain',
      flags: ['--unsynced'],
      runs: [
        {
          name: 'unit',
          projects: ['unit', ...(more ? ['tooling'] : [])],
          needs: 'stores',
          zone: 'Pacific/Auckland',
        },
        ...(more
          ? [
              { name: 'foreign', projects: ['foreign', 'model'], needs: 'stack', workers: 2 },
              // One at a time: each takes a minute, and most start their own stacks.
              { name: 'drills', projects: ['drills'], needs: 'stack', serial: true },
            ]
          : []),
      ],
    },
    {
      name: 'tls',
      // Traced as well, because end-to-end tests follow requests.
      flags: ['--secure', '--traced'],
      runs: [
        { name: 'contract', projects: ['contract'], needs: 'stack' },
        { name: 'e2e', projects: ['e2e'], needs: 'stack', workers: 2 },
        ...(more
          ? [
              { name: 'console', projects: ['console'], needs: 'stack', workers: 2 },
              // Last, because they may leave damage, and one at a time, so that a fault doesn't affect another test.
              { name: 'faults', projects: ['faults'], needs: 'stack', serial: true },
            ]
          : []),
      ],
    },
  ];
};

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

const HARMLESS = new Set(['unit', 'foreign', 'contract', 'e2e', 'console']);

const withRuns = (plan, change) =>
  plan.map((side) => ({ ...side, runs: side.runs.flatMap(change) })).filter(({ runs }) => runs.length > 0);
