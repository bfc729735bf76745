import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { servicesWithSchema } from '../setup/workspace.mjs';
import { contractsStayCompatible, openApiStaysCompatible } from './compatible.mjs';
import { contractCodeIsFresh, printedFilesAreFresh, sharedSqlIsFresh } from './generated.mjs';
import { houseRules } from './house-rules.mjs';
import { roomsFormNoCircle } from './room-circles.mjs';
import { verdictOf, verdictOfRun } from './verdict.mjs';

const CRUISED = ['services', 'proto/gen', 'deploy', 'test/bench', 'test/cluster', 'test/drills/main.ts'];

/**
 * Every static check: `run(machine)` resolves to `{verdict: 'passed' | 'failed' | 'skipped', output}`. Slow checks come
 * first, so that two lanes finish at about the same time.
 */
export const checks = [
  ['types', 'TypeScript finds no errors', program('tsc', ['--project', 'tsconfig.json'])],
  [
    'types-of-pages',
    'TypeScript finds no errors in the console',
    program('tsc', ['--project', 'services/console/web/tsconfig.json']),
  ],
  [
    'types-of-page-tests',
    'TypeScript finds no errors in the unit tests of the console',
    program('tsc', ['--project', 'services/console/web-tests/tsconfig.json']),
  ],
  ['style', 'sources are formatted and pass the linter', program('biome', ['ci', '--colors=off', '.'])],
  [
    'dependencies',
    'imports go one way: proto, lib, services; main, context, stories, store',
    // Not the other folders of `test`: the tool can't read `using`. The house rules keep those tests outside.
    program('depcruise', ['--config', '.dependency-cruiser.mjs', ...CRUISED]),
  ],
  ['rooms', 'the folders of a service import each other in one direction', roomsFormNoCircle],
  ['contract-style', 'the protos pass the buf linter', program(buf, ['lint'], 'proto')],
  ['contract-format', 'the protos are formatted', program(buf, ['format', '--diff', '--exit-code'], 'proto')],
  [
    'contract-breaking',
    'the protos have no breaking change since main and the last release',
    contractsStayCompatible,
  ],
  ['contract-code', 'the generated code matches the protos', contractCodeIsFresh],
  ['printed-pages', 'the OpenAPI document and the settings page match the code', printedFilesAreFresh],
  [
    'openapi-breaking',
    'the API has no breaking change since main and the last release',
    openApiStaysCompatible,
  ],
  ['schemas', 'every database schema is valid and formatted', checkSchemas],
  ['shared-sql', 'migrations contain the shared tables as they are', sharedSqlIsFresh],
  ['prose', 'pages have no dead link, long sentence or banned phrase', program('markdownlint-cli2', [])],
  ['spelling', 'pages are spelled right', program('cspell', ['lint', '--no-progress', '--no-summary'])],
  ['house', 'files follow the house rules', houseRules],
].map(([name, promise, run]) => ({ name, promise, run }));

function buf(machine) {
  return join(machine.root, 'proto', 'node_modules', '.bin', 'buf');
}

/** Returns a check that runs one program. */
function program(command, args, cwd = '.') {
  return async (machine) => {
    const path = typeof command === 'function' ? command(machine) : command;
    return verdictOfRun(await observeProgram(path, args, { cwd: join(machine.root, cwd), env: machine.env }));
  };
}

async function checkSchemas(machine) {
  const findings = [];
  for (const service of servicesWithSchema()) {
    const cwd = join(machine.root, 'services', service);
    const prisma = join(cwd, 'node_modules', '.bin', 'prisma');
    // Neither command needs the schema engine, but the tool insists on having one and would download it.
    const env = {
      ...machine.env,
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      DATABASE_URL: 'postgresql://unused',
    };
    for (const args of [['validate'], ['format', '--check']]) {
      const { code, output, reason } = await observeProgram(prisma, args, { cwd, env });
      if (code !== 0) findings.push(`services/${service}: prisma ${args.join(' ')}\n${output || reason}`);
    }
  }
  return verdictOf(findings);
}
