/**
 * What `npm test` runs: two sides, each with a stack of its own and jest runs that come one after the other, so that the
 * waits of one side overlap with the work of the other. A jest run has a name, the projects in it, and what it needs: the
 * stores of the stack, from which unit tests take databases and streams of their own, or the whole stack.
 *
 * In the clear, as `npm start` serves: units and the contract. Over TLS, as in production: what goes from one end to the
 * other, much of it in a browser, and the faults, by themselves and with databases that wait for the disk. With `all`, tooling and drills, and the contract over TLS; `named` says that tests
 * are picked out, of either tier.
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
    flags: ['--secure'],
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

/** What is left of a plan when only some projects are asked for: runs that have none go, and sides without runs. */
export const onlyProjects = (plan, asked) =>
  withRuns(plan, (run) => {
    const projects = run.projects.filter((project) => asked.includes(project));
    return projects.length > 0 ? [{ ...run, projects }] : [];
  });

/** What is left of a plan where one stack runs already: one side, with what ends no process of it, and nothing twice. */
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
