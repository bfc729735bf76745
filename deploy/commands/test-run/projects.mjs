/** The jest projects, and where the tests of each lie. */
export const projects = {
  unit: ['services'],
  contract: ['test/contract'],
  // From a screen or a 202 to what comes of it.
  e2e: ['test/e2e'],
  faults: ['test/faults'],
  // What is no promise of the product: how it is started here, built, charted and measured.
  tooling: ['deploy', 'charts', 'test/bench', 'test/cluster', 'test/conformance', 'test/harness'],
  // Other people's programs, as suppliers use them, against the public interface.
  foreign: ['test/foreign'],
  // What an operator practises: each takes a minute, and most start stacks of their own.
  drills: ['test/drills'],
};
