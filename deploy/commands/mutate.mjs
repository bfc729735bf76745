import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { areas } from './mutation/areas.mjs';
import { superviseStack } from './stack-process.mjs';

const FOLDER = '.run/mutation';
/** The score, in per cent, below which the command fails. */
const MIN_SCORE = 85;
/** For one mutant on a busy machine. */
const MUTANT_TIMEOUT_MS = 60_000;

/** Mutates the sources, in copies of the repository, and counts the mutants that a test detects. Resolves to the exit code. */
export async function run(machine, args) {
  const paths = args.filter((argument) => !argument.startsWith('--'));
  const wanted = paths.length > 0 ? paths.map(areaAt) : areas;
  const stack = superviseStack(
    machine,
    ['--state', join(FOLDER, 'stack'), '--fresh', '--unsynced', '--no-demo', '--stores-only'],
    { detached: true },
  );
  try {
    const stores = await stack.stores;
    if (!stores) return 1;
    Object.assign(process.env, { TEST_POSTGRES_URL: stores.postgres, TEST_NATS_URL: stores.nats });
    const scores = [];
    for (const area of wanted) {
      scores.push(await mutate(machine, area));
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(join(FOLDER, 'scores.json'), `${JSON.stringify(scores, null, 2)}\n`);
    }
    console.log(args.includes('--json') ? JSON.stringify(scores, null, 2) : tableOf(scores));
    return scores.some(({ score }) => score < MIN_SCORE) ? 1 : 0;
  } finally {
    stack.stop();
    await stack.ended;
  }
}

/** A file or folder, with the tests of its area or of its folder. */
function areaAt(path) {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const area = areas.find(({ sources }) => sources.includes(path) || sources.includes(folder));
  return { tests: [folder], ...area, name: path, sources: [path] };
}

async function mutate(machine, { name, sources, tests = sources, ignoredTests = [] }) {
  const jest = [
    ...[machine.node, 'node_modules/jest/bin/jest.js', '--selectProjects', 'unit', '--runInBand', '--bail'],
    ...ignoredTests.map((ending) => `--testPathIgnorePatterns=${ending}$`),
  ];
  const stryker = new Stryker({
    testRunner: 'command',
    commandRunner: { command: [...jest, ...tests].map((word) => `'${word}'`).join(' ') },
    mutate: [...sources.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)), '!**/*.test.ts'],
    concurrency: Math.max(1, cpus().length),
    timeoutMS: MUTANT_TIMEOUT_MS,
    tempDirName: join(FOLDER, 'sandbox'),
    ignorePatterns: ['.run', 'charts', 'services/console', 'test'],
    // Stryker would rewrite it with the compiler's API, which TypeScript 7 does not have.
    tsconfigFile: join(FOLDER, 'none.json'),
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false },
    allowEmpty: true,
  });
  const results = await stryker.runMutationTest();
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
  const detected = count('Killed', 'Timeout');
  const mutants = detected + count('Survived', 'NoCoverage');
  return {
    name,
    mutants,
    detected,
    score: mutants === 0 ? 100 : Math.round((1_000 * detected) / mutants) / 10,
  };
}

const tableOf = (scores) =>
  scores
    .map(({ name, mutants, detected, score }) => `${name.padEnd(24)} ${detected} of ${mutants}  ${score} %`)
    .join('\n');
