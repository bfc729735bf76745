import { join } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';
import { servicesWithSchema } from '../setup/workspace.mjs';
import { contractsStayCompatible, openApiStaysCompatible } from './compatible.mjs';
import { contractCodeIsFresh, databaseSchemasAreFresh, printedFilesAreFresh } from './generated.mjs';
import { houseRules } from './house-rules.mjs';
import { verdictOf, verdictOfRun } from './verdict.mjs';

const CRUISED = ['services', 'proto/gen', 'deploy', 'test/bench', 'test/cluster', 'test/drills/main.ts'];

/**
 * Every static check: `run(machine)` resolves to `{verdict: 'passed' | 'failed' | 'skipped', output}`.
 * The slow ones come first, so that two lanes end at about the same time.
 */
export const checks = [
  {
    name: 'types',
    promise: 'TypeScript finds no error in any source or test',
    run: program('tsc', ['--project', 'tsconfig.json']),
  },
  {
    name: 'types-of-pages',
    promise: 'TypeScript finds no error in the application of the console',
    run: program('tsc', ['--project', 'services/console/web/tsconfig.json']),
  },
  {
    name: 'style',
    promise: 'every source is formatted and free of lint findings',
    run: program('biome', ['ci', '--colors=off', '.']),
  },
  {
    name: 'dependencies',
    promise: 'imports go one way: proto, lib, services; main, context, rpc and events, domain and db',
    // Not the other folders of `test`: the tool cannot read `using`. The house rules keep those tests outside.
    run: program('depcruise', ['--config', '.dependency-cruiser.mjs', ...CRUISED]),
  },
  {
    name: 'contract-style',
    promise: 'the protos follow the rules of buf',
    run: program(buf, ['lint'], 'proto'),
  },
  {
    name: 'contract-format',
    promise: 'the protos are formatted',
    run: program(buf, ['format', '--diff', '--exit-code'], 'proto'),
  },
  {
    name: 'contract-breaking',
    promise: 'no contract breaks a caller or consumer of the main branch or of the release before',
    run: contractsStayCompatible,
  },
  {
    name: 'contract-code',
    promise: 'the committed code is what the protos generate',
    run: contractCodeIsFresh,
  },
  {
    name: 'printed-pages',
    promise: 'the committed reference of the public API and of settings is what the code describes',
    run: printedFilesAreFresh,
  },
  {
    name: 'openapi-breaking',
    promise:
      'no published shape of the public API breaks a supplier of the main branch or of the release before',
    run: openApiStaysCompatible,
  },
  {
    name: 'schemas',
    promise: 'every database schema is valid and formatted',
    run: checkSchemas,
  },
  {
    name: 'databases',
    promise: 'the committed schemas are what the migrations make, and shared tables are the same',
    run: databaseSchemasAreFresh,
  },
  {
    name: 'house',
    promise: 'files stay small and are named for something, settings are read in one place and documented',
    run: houseRules,
  },
];

function buf(machine) {
  return join(machine.root, 'proto', 'node_modules', '.bin', 'buf');
}

/** A check that is one program: it passes when the program ends with 0. */
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
