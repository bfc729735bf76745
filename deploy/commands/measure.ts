// Prints how much code a reader of each story depends on; see `npm run measure -- --help`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';

const WALKTHROUGH = 'docs/walkthrough.md';
/** The most files that the code of a story may import, directly or not, its own included. Lower them when you can. */
const BOUNDS: Readonly<Record<string, number>> = {
  'A create, from HTTP to the committed row': 200,
  'From the committed row to the delivered webhook': 102,
  'An erasure': 186,
  'An upload, until it is clean': 142,
};

const isTest = (path: string) => /\.test\.tsx?$|\/testing\/|^test\//.test(path);
const isGenerated = (path: string) => /\/generated\/|\/gen\//.test(path);
/** Areas of the repository; `services/lib` is also part of the product. */
const AREAS: Readonly<Record<string, (path: string) => boolean>> = {
  'product without console': (path) => /^services\/(?!console\/)/.test(path) && !isTest(path),
  'services/lib': (path) => path.startsWith('services/lib/') && !isTest(path),
  console: (path) => path.startsWith('services/console/') && !isTest(path),
  deploy: (path) => path.startsWith('deploy/') && !isTest(path),
  tests: isTest,
};

const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values;
const measures = { stories: await measureStories(), lines: countLines() };
console.log(json ? JSON.stringify(measures, null, 2) : describe());
if (measures.stories.some(({ files, bound }) => files > bound)) process.exitCode = 1;

async function measureStories() {
  const importsOf = await readImports();
  const sections = readFileSync(WALKTHROUGH, 'utf8').split(/^## /m).slice(1);
  return sections.map((section) => {
    const story = section.split('\n', 1)[0] ?? '';
    const bound = BOUNDS[story];
    if (bound === undefined) throw new Error(`${story}: no bound for this section of ${WALKTHROUGH}`);
    const reached = new Set(Array.from(section.matchAll(/^\d+\. `([^`]+)`/gm), ([, path = '']) => path));
    const read = reached.size;
    // A set visits what is added meanwhile.
    for (const path of reached) for (const imported of importsOf.get(path) ?? []) reached.add(imported);
    return { story, read, files: reached.size, lines: sum([...reached].map(linesOf)), bound };
  });
}

/** Returns what each source file imports for use, by path. Types are left out: a reader sees them without opening them. */
async function readImports(): Promise<ReadonlyMap<string, readonly string[]>> {
  const config = new URL('../../.dependency-cruiser.mjs', import.meta.url).href;
  const { options }: { options: ICruiseOptions } = (await import(config)).default;
  const { output } = await cruise(['services'], { ...options, validate: false });
  return new Map(
    (output as ICruiseResult).modules.map(({ source, dependencies }) => [
      source,
      dependencies
        .filter(({ dependencyTypes }) => !dependencyTypes.includes('type-only'))
        .map(({ resolved }) => resolved)
        .filter((path) => path.startsWith('services/') && !isGenerated(path)),
    ]),
  );
}

function countLines() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const paths = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\n')
    .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && !isGenerated(path) && existsSync(path));
  return Object.entries(AREAS).map(([area, holds]) => {
    const files = paths.filter(holds);
    return { area, files: files.length, lines: sum(files.map(linesOf)) };
  });
}

function linesOf(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function describe(): string {
  const row = (name: string, ...cells: readonly (string | number)[]) =>
    `${name.padEnd(50)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
  return [
    row('What a story imports', 'to read', 'files', 'lines', 'bound'),
    ...measures.stories.map(({ story, read, files, lines, bound }) => row(story, read, files, lines, bound)),
    '',
    row('Lines, blank ones included', '', 'files', 'lines'),
    ...measures.lines.map(({ area, files, lines }) => row(area, '', files, lines)),
  ].join('\n');
}
