// Writes the shared SQL in the migrations and the description of every database; with --check, compares them. Started
// by bootstrap.mjs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MigrationError } from '@supplier/lib/data/migrations';
import { readIfPresent } from '../../local/state/private-file.ts';
import { CannotStart } from '../../local/terminal.ts';
import { describeDatabases, migrationsWithSharedSql } from './describe-databases.ts';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

try {
  const isCheck = process.argv.includes('--check');
  const migrations = migrationsWithSharedSql(checkout);
  if (!isCheck) write(migrations);
  const { files, differences } = await describeDatabases(checkout, console.error);
  const findings = isCheck ? [...staleOf(new Map([...migrations, ...files])), ...differences] : differences;
  if (!isCheck) write(files);
  for (const finding of findings) console.log(finding);
  process.exit(findings.length === 0 ? 0 : 1);
} catch (error) {
  if (!(error instanceof CannotStart || error instanceof MigrationError)) throw error;
  console.error(error.message);
  process.exit(1);
}

function staleOf(files: ReadonlyMap<string, string>): string[] {
  const stale = [...files]
    .filter(([path, text]) => readIfPresent(join(checkout, path)) !== text)
    .map(([path]) => `stale: ${path}`);
  return stale.length === 0 ? [] : [...stale, 'run `npm run generate` and commit the changes'];
}

function write(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
}
