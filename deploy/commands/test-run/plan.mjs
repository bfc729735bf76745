/**
 * What `npm test` runs: two sides, each with a stack of its own and its jest runs one after the other. A jest run needs the stores
 * only, in which unit tests create databases, or the whole stack. `named` says that tests are selected by path.
 */
export const planOf = ({ all, named = false }) => [
  {
    name: 'plain',
    flags: ['--unsynced'],
    runs: [
      { name: 'unit', projects: ['unit', ...(all || named ? ['tooling'] : [])], needs: 'stores' },
      // They wait for answers more than they work: one more than usual ends 15 s sooner.
      { name: 'contract', projects: ['contract'], needs: 'stack', workers: 4 },
      ...(all || named ? [{ name: 'foreign', projects: ['foreign'], needs: 'stack', workers: 2 }] : []),
    ],
  },
  {
    name: 'tls',
    // Traced as well: its tests follow requests from one end to the other.
    flags: ['--secure', '--traced'],
    runs: [
      // Before a fault leaves scars. Browsers among them: with as many workers as the other side they would crawl.
      { name: 'e2e', projects: ['e2e'], needs: 'stack', workers: 2 },
      ...(all ? [{ name: 'contract-tls', projects: ['contract'], needs: 'stack', workers: 2 }] : []),
      // One at a time: a fault of one must not be felt by another.
      { name: 'faults', projects: ['faults'], needs: 'stack', serial: true },
      ...(all || named ? [{ name: 'drills', projects: ['drills'], needs: 'stack', serial: true }] : []),
    ],
  },
];

/** The part of a plan with these projects. */
export const onlyProjects = (plan, asked) =>
  withRuns(plan, (run) => {
    const projects = run.projects.filter((project) => asked.includes(project));
    return projects.length > 0 ? [{ ...run, projects }] : [];
  });

/** The part of a plan for a stack that is running: what kills no process. */
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
