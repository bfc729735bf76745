import { projects } from './deploy/commands/test-run/projects.mjs';

// Run by `npm test`, which starts the stack that the tests talk to. Node runs TypeScript and ES modules as they are, and
// the tests with them: what several files import is loaded once by each of the runner's processes.
const shared = {
  runner: 'jest-light-runner/child-process',
  setupFilesAfterEnv: ['<rootDir>/deploy/commands/test-run/bounds.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/.run/'],
};

export default {
  reporters: ['default', '<rootDir>/deploy/commands/test-run/results.mjs'],
  // Much of a test's time is waiting.
  maxWorkers: 3,
  projects: Object.entries(projects).map(([displayName, folders]) => ({
    ...shared,
    displayName,
    testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  })),
};
