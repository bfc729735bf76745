import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { readEnvironment, urlOf } from '../config/index.ts';
import { runCommand } from '../service-runtime/index.ts';

/** What this module uses of WebAssembly; Node's types leave it to the DOM's. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, object>) => { exports: Record<string, unknown> };
};

const filters = { externalTables: [], externalEnums: [] };

/**
 * Applies the migrations of `<serviceDir>/prisma/migrations` that the database does not have yet, in order, and
 * resolves to their names. Throws when one fails; the ones before it stay applied. Safe to run twice at once.
 */
export async function runMigrations(options: { databaseUrl: string; serviceDir: URL }): Promise<string[]> {
  // One session: the engine's advisory lock belongs to it, keeps a second run waiting, and ends with it.
  const session = new pg.Pool({
    connectionString: options.databaseUrl,
    max: 1,
    connectionTimeoutMillis: 10_000,
  });
  try {
    const engine = await openEngine(session, options.serviceDir);
    const migrationsList = readMigrations(options.serviceDir);
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
    engine.free();
    return appliedMigrationNames;
  } finally {
    await session.end();
  }
}

/** The engine is WebAssembly: no binary has to be fetched for it. */
async function openEngine(session: pg.Pool, serviceDir: URL) {
  load();
  const schema = readFileSync(new URL('prisma/schema.prisma', serviceDir), 'utf8');
  const factory = bindMigrationAwareSqlAdapterFactory(new WholeScriptPg(session));
  return engineModule.SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, factory);
}

/**
 * Sends a migration as one script: PostgreSQL runs it in one transaction, and function bodies keep their semicolons,
 * at which the adapter would cut.
 */
class WholeScriptPg extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      await adapter.underlyingDriver().query(script);
    };
    return adapter;
  }
}

let loaded = false;
function load(): void {
  if (loaded) return;
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = new WebAssembly.Module(readFileSync(path.replace(/\.js$/, '.wasm')));
  const instance = new WebAssembly.Instance(wasm, { './schema_engine_bg.js': withoutWaiting(engineModule) });
  engineModule.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  loaded = true;
}

/** The engine leaves timers behind; they must not keep a process alive that has nothing else to do. */
function withoutWaiting(imports: object): object {
  const timers = Object.entries(imports).filter(([name]) => name.startsWith('__wbg_setTimeout'));
  const unrefs = timers.map(([name, start]) => [
    name,
    (...given: unknown[]) => {
      const timer = (start as (...given: unknown[]) => unknown)(...given);
      if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as NodeJS.Timeout).unref();
      return timer;
    },
  ]);
  return { ...imports, ...Object.fromEntries(unrefs) };
}

function readMigrations(serviceDir: URL) {
  const dir = new URL('prisma/migrations/', serviceDir);
  const names = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir: 'migrations',
    lockfile: {
      path: 'migration_lock.toml',
      content: readFileSync(new URL('migration_lock.toml', dir), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: names.map((path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: readFileSync(new URL(`${path}/migration.sql`, dir), 'utf8') },
      },
    })),
  };
}

/** The `migrate` command of a service: prints what it applied, exits non-zero when it failed. */
export function runMigrateCommand(service: string, serviceDir: URL): void {
  runCommand(`${service}-migrate`, async () => {
    // The command runs in the environment of its service, of which it needs one variable.
    const { SSS_DATABASE_URL } = process.env;
    const env = readEnvironment(
      { SSS_DATABASE_URL: urlOf(['postgres:', 'postgresql:']) },
      { SSS_DATABASE_URL },
    );
    const applied = await runMigrations({ databaseUrl: env.SSS_DATABASE_URL, serviceDir });
    process.stdout.write(
      applied.length > 0 ? `${service}: applied ${applied.join(', ')}\n` : `${service}: nothing to apply\n`,
    );
  });
}
