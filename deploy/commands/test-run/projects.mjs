/** The jest projects, and the folders of their tests. */
export const projects = {
  // And that planted bugs fit the sources of services.
  unit: ['services', 'test/drills/faults/planted'],
  contract: ['test/contract'],
  // From a screen or a 202 to the outcome.
  e2e: ['test/e2e'],
  // Every screen of the staff console, in a browser.
  console: ['test/console'],
  // Random operations, compared with a model of the contract.
  model: ['test/model'],
  faults: ['test/faults'],
  // Not promises of the product: how it is started locally, built, charted and measured.
  tooling: [
    'deploy',
    'charts',
    'test/bench',
    'test/cluster',
    'test/conformance',
    'test/harness',
    'test/newcomer',
  ],
  // Third-party programs that use the public API, as suppliers do.
  foreign: ['test/foreign'],
  // Operators' exercises: each takes a minute, and most start their own stacks.
  drills: ['test/drills'],
};
