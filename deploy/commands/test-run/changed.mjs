import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FailedStep } from '../setup/run-program.mjs';
import { root } from '../setup/workspace.mjs';
import { testsImporting } from './run-jest.mjs';

const LARGEST_LIST = 8 << 20;
const CODE = /\.(?:[cm]?js|tsx?)$/;
const STORY = /^services\/([^/]+)\/src\/(?:routes\/)?([^/]+)\//;
/** Minutes long, or with a stack of their own: selected only by a change of their own folders. */
const LONG = /^test\/(?:e2e|console|faults|drills|bench|cluster|model)\//;
const SCREEN = /^services\/console\/web\/src\/screens\/([^/]+)\//;
const BROWSER = /^test\/console\/([^/]+)\.test\.ts$/;
/** What differs between the names of a screen for one and a screen for many: policy, policies. */
const NUMBER = /(?:ies|y|s)$/;
const CONTRACT = /^test\/contract\/([^/]+)\//;
/** Files that every process and every test depends on. */
const REACH_ALL = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'jest.config.mjs'];

/**
 * Returns the files that differ from the commit where the history left `ref`, with those that are not committed.
 */
export async function changedSince(ref, cwd = root) {
  const base = await git(cwd, ['merge-base', 'HEAD', ref]).catch(() => {
    throw new FailedStep(
      `git knows no common history with ${ref}: name a commit or a branch after --changed`,
    );
  });
  const differing = await git(cwd, ['diff', '--name-only', '--no-renames', '-z', base.trim()]);
  const added = await git(cwd, ['ls-files', '--others', '--exclude-standard', '-z']);
  return [...listed(differing), ...listed(added)].sort();
}

/** Selects the tests that a change of these files can reach. Resolves to them, and to a line that says why. */
export async function testsReachedBy(machine, files) {
  const tests = listed(await git(root, ['ls-files', '-coz', '--exclude-standard', '--', '*.test.ts'])).filter(
    exists,
  );
  const contract = tests.filter((test) => CONTRACT.test(test));
  const stories = [...new Set(files.flatMap((file) => STORY.exec(file)?.[0] ?? []))];
  const rpcs = await rpcsIn(stories);
  const imported = (await Promise.all(files.map(modulesFor))).flat();
  const rules = {
    imports: (await testsImporting(machine, imported)).filter((test) => !LONG.test(test)),
    folder: tests.filter((test) => files.some((file) => isBeside(test, file))),
    RPC: rpcs.length === 0 ? [] : contract.filter((test) => wordsOf(rpcs).test(read(test))),
    area: contract.filter((test) => files.some((file) => isAbout(test, file))),
    screen: tests.filter((test) => files.some((file) => isOfScreen(test, file))),
  };
  const reached = new Set();
  const counts = Object.entries(rules).flatMap(([rule, found]) => {
    const before = reached.size;
    for (const test of found) reached.add(test);
    return reached.size > before ? [`${reached.size - before} by ${rule}`] : [];
  });
  const why = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  const all = files.filter((file) => REACH_ALL.includes(file)).map((file) => `; ${file} affects all tests`);
  return { tests: [...reached].sort(), line: `${reached.size} test files${why}${all.join('')}` };
}

/** Returns the modules whose importers a change of a file can reach: the file, code generated from it, or code that names it. */
async function modulesFor(file) {
  if (CODE.test(file)) return [file].filter(exists);
  if (REACH_ALL.includes(file)) return [];
  if (file.endsWith('.proto'))
    return [file.replace(/^proto\/(.*)\.proto$/, 'proto/gen/$1_pb.js')].filter(exists);
  const quoted = `['"\`/]${basename(file).replaceAll('.', '\\.')}['"\`]`;
  // It exits with 1 when it finds nothing.
  const found = await git(root, ['grep', '-lzE', '-e', quoted, '--', '*.ts', '*.mjs']).catch(() => '');
  return listed(found).filter(exists);
}

/** The RPCs that stories implement, such as `getSubmissionLedger`. */
async function rpcsIn(stories) {
  if (stories.length === 0) return [];
  const found = await git(root, ['grep', '-hoE', "Rpcs\\['\\w+'\\]", '--', ...stories]).catch(() => '');
  return [...new Set(Array.from(found.matchAll(/'(\w+)'/g), ([, name]) => name))];
}

const wordsOf = (rpcs) => new RegExp(`\\b(?:${rpcs.join('|')})\\b`, 'i');

/** Whether a test is in the folder of a file, in the service of a schema, or in the charts after a change of a chart. */
function isBeside(test, file) {
  const [top, name] = file.split('/');
  if (top === 'charts' && !CODE.test(file)) return test.startsWith('charts/');
  if (/^services\/[^/]+\/prisma\//.test(file)) return test.startsWith(`${top}/${name}/`);
  return CODE.test(file) && dirname(test) === dirname(file);
}

/** Whether a contract test's folder is named after a file's service or story: `documents` after `document`. */
function isAbout(test, file) {
  const [, area = ''] = CONTRACT.exec(test) ?? [];
  return (STORY.exec(file) ?? []).slice(1).some((name) => area.startsWith(name));
}

/** Whether a browser test is named after the screen that a file belongs to. */
function isOfScreen(test, file) {
  const [, name] = BROWSER.exec(test) ?? [];
  const [, screen] = SCREEN.exec(file) ?? [];
  return name !== undefined && screen !== undefined && name.startsWith(screen.replace(NUMBER, ''));
}

const exists = (file) => existsSync(join(root, file));
const read = (file) => readFileSync(join(root, file), 'utf8');
const listed = (output) => output.split('\0').filter(Boolean);

async function git(cwd, args) {
  const { stdout } = await promisify(execFile)('git', args, { cwd, maxBuffer: LARGEST_LIST });
  return stdout;
}
