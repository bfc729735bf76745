import { projects } from './deploy/local/test-run/projects.mjs';

// Run by `npm test`, which starts the stack that the tests talk to. Node runs ES modules as they are, so jest does too.
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/.run/'],
};

export default {
  maxWorkers: 2,
  // What a test file has loaded is not all given back; without this a worker grows to some gigabytes.
  workerIdleMemoryLimit: '1GB',
  // Waits have bounds of their own, below this one: on a busy machine a slow test is no failed one.
  testTimeout: 60_000,
  projects: Object.entries(projects).map(([displayName, folders]) => ({
    ...shared,
    displayName,
    testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  })),
};
