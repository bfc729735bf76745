import { parseArgs } from 'node:util';
import { ConfigError, postgresUrl, readCommandEnvironment } from '../config/index.ts';
import { runCommand } from '../service-runtime/index.ts';
import type { MigrationState } from './history.ts';
import { migrationStates, runMigrations } from './run-migrations.ts';

const USAGE = `usage: migrate [--status]
  applies the migrations that the database of SSS_DATABASE_URL lacks, one line for each; waits for another run for
  up to 60 s
  --status   changes nothing and lists every migration with its state; exit 1 unless all are applied`;

/** The `migrate` command of a service: `node services/<service>/src/migrate.ts [--status | --help]`. */
export function runMigrateCommand(service: string, serviceDir: URL): void {
  runCommand(`${service}-migrate`, async () => {
    const { status, help } = readOptions(process.argv.slice(2));
    if (help) return print(USAGE);
    const env = readCommandEnvironment({ SSS_DATABASE_URL: postgresUrl() });
    const database = { databaseUrl: env.SSS_DATABASE_URL, serviceDir };
    if (status) {
      const states = await migrationStates(database);
      for (const state of states) print(lineOf(state));
      if (states.some(({ state }) => state !== 'applied' && state !== 'unknown')) process.exit(1);
      return;
    }
    const report = (line: string) => print(`${service}: ${line}`);
    const applied = await runMigrations({ ...database, report });
    if (applied.length === 0) report('nothing to apply');
  });
}

function readOptions(args: string[]): { status: boolean; help: boolean } {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ args, options: { status: flag, help: flag } }).values;
  } catch {
    throw new ConfigError(USAGE);
  }
}

const lineOf = ({ name, state, at }: MigrationState) =>
  `${state.padEnd(10)} ${(at?.toISOString() ?? '').padEnd(24)} ${name}`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
