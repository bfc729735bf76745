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
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{services,deploy,charts}/**/*.test.ts'] },
    { ...shared, displayName: 'contract', testMatch: ['<rootDir>/test/{contract,e2e}/**/*.test.ts'] },
    { ...shared, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
  ],
};
