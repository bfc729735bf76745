// Prints the measures of the repository; see `npm run measure -- --help`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';

const WALKTHROUGH = 'docs/walkthrough.md';
const CREATE = 'A create, from HTTP to the committed row';
/** The sections of the walkthrough that each story takes, and the most files that a reader may have to open for it. */
const STORIES = [
  { story: 'HTTP to committed row', sections: [CREATE], bound: 12 },
  {
    story: 'HTTP to delivered webhook',
    sections: [CREATE, 'From the committed row to the delivered webhook'],
    bound: 18,
  },
  { story: 'erasure', sections: ['An erasure'], bound: 10 },
  { story: 'upload to clean', sections: ['An upload, until it is clean'], bound: 10 },
];
/** Files with fewer lines are small. */
const SMALL = 25;

const PRISMA_CALL =
  /\b(?:db|tx)\s*\.\w+\s*\.(?:find(?:Many|Unique|First)(?:OrThrow)?|(?:create|update|delete)(?:Many)?(?:AndReturn)?|upsert|count|aggregate|groupBy)\(/g;
const SQL_CALL = /(?:\.query|\.\$(?:query|execute)Raw(?:Unsafe)?|\browsOf)(?=[<(`])/g;

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

const isTest = (path: string) => /\.test\.tsx?$|\/testing\/|^test\//.test(path);
const isService = (path: string) => /^services\/(?!console\/)/.test(path);

/** Areas of the repository; `services/lib` is also part of the product. */
const AREAS: Readonly<Record<string, (path: string) => boolean>> = {
  'product without console': (path) => isService(path) && !isTest(path),
  'services/lib': (path) => path.startsWith('services/lib/') && !isTest(path),
  tests: isTest,
  'deploy without tests': (path) => path.startsWith('deploy/') && !isTest(path),
  'test/cluster and deploy/cluster': (path) => /^(?:test|deploy)\/cluster\//.test(path),
};

const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values;
const sources = readSources();
const services = sources.filter(({ path }) => isService(path));
const measures = {
  stories: countStories(),
  serviceFiles: services.length,
  smallFiles: services.filter(({ lines }) => lines < SMALL).length,
  smallFilesWithOneImporter: await findOnlyImporters(),
  lines: countLines(),
  calls: countCalls(),
};
console.log(json ? JSON.stringify(measures, null, 2) : describe());
if (measures.stories.some(({ files, bound }) => files > bound)) process.exitCode = 1;

/** Returns the sources that git tracks or would track. */
function readSources(): Source[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const paths = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
  return paths
    .filter((path) => /^(?:services|deploy|test)\/.*\.(?:ts|tsx|mjs)$/.test(path) && existsSync(path))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      return { path, text, lines: text.split('\n').length - 1 };
    });
}

function countStories() {
  const filesOf = new Map(
    readFileSync(WALKTHROUGH, 'utf8')
      .split(/^## /m)
      .map((section) => [section.split('\n', 1)[0] ?? '', section.match(/^\d+\. `/gm)?.length ?? 0]),
  );
  return STORIES.map(({ story, sections, bound }) => {
    const missing = sections.find((title) => !filesOf.has(title));
    if (missing) throw new Error(`${WALKTHROUGH} has no section "${missing}"`);
    return { story, files: sections.reduce((sum, title) => sum + (filesOf.get(title) ?? 0), 0), bound };
  });
}

/** Finds small files that one other file imports. Only for files in `testing`, tests count as importers. */
async function findOnlyImporters() {
  const config = new URL('../../.dependency-cruiser.mjs', import.meta.url).href;
  const { options }: { options: ICruiseOptions } = (await import(config)).default;
  const { output } = await cruise(['services'], { ...options, validate: false });
  const dependents = new Map((output as ICruiseResult).modules.map((one) => [one.source, one.dependents]));
  return services
    .filter(({ path, lines }) => lines < SMALL && !path.endsWith('.test.ts'))
    .flatMap(({ path }) => {
      const importers = (dependents.get(path) ?? []).filter((one) => isTest(path) || !isTest(one));
      return importers.length === 1 ? [{ path, importer: importers[0] }] : [];
    });
}

function countLines() {
  return Object.entries(AREAS).map(([area, holds]) => {
    const files = sources.filter(({ path }) => holds(path));
    return { area, files: files.length, lines: files.reduce((sum, { lines }) => sum + lines, 0) };
  });
}

function countCalls() {
  const product = services.filter(({ path }) => !isTest(path));
  const byService = Map.groupBy(product, ({ path }) => path.split('/')[1] ?? '');
  return [...byService]
    .map(([service, files]) => ({
      service,
      prisma: files.reduce((sum, { text }) => sum + (text.match(PRISMA_CALL)?.length ?? 0), 0),
      sql: files.reduce((sum, { text }) => sum + (text.match(SQL_CALL)?.length ?? 0), 0),
    }))
    .filter(({ prisma, sql }) => prisma + sql > 0);
}

function describe(): string {
  const row = (name: string, ...cells: readonly (string | number)[]) =>
    `  ${name.padEnd(34)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
  const { stories, serviceFiles, smallFiles, smallFilesWithOneImporter, lines, calls } = measures;
  return [
    row('Files to open for a story', 'files', 'bound'),
    ...stories.map(({ story, files, bound }) => row(story, files, bound)),
    '',
    row('Files of services without console', 'files'),
    row('all', serviceFiles),
    row(`under ${SMALL} lines`, smallFiles),
    row('of these with one importer', smallFilesWithOneImporter.length),
    ...smallFilesWithOneImporter.map(({ path, importer }) => `    ${path} <- ${importer}`),
    '',
    row('Lines, including blank ones', 'files', 'lines'),
    ...lines.map(({ area, files, lines }) => row(area, files, lines)),
    '',
    row('Database calls, without tests', 'Prisma', 'SQL'),
    ...calls.map(({ service, prisma, sql }) => row(service, prisma, sql)),
  ].join('\n');
}
