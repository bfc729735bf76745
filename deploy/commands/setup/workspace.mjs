import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's top folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** What the set-up remembers between runs; shared by every stack of this checkout. */
export const setupState = join(root, '.run', 'setup');

/** Names of the services that have a database schema. */
export function servicesWithSchema() {
  return readdirSync(join(root, 'services')).filter((name) =>
    existsSync(join(root, 'services', name, 'prisma', 'schema.prisma')),
  );
}

/** Every package.json of the workspace. */
export function packageFiles() {
  const services = readdirSync(join(root, 'services')).map((name) => join('services', name));
  return ['.', 'proto', 'deploy', 'test', 'docs/suppliers', ...services]
    .map((folder) => join(root, folder, 'package.json'))
    .filter((path) => existsSync(path));
}

/** The package manager that the repository names, such as `pnpm@12.21.0`. */
export function packageManager() {
  const { packageManager: named } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return named.split('+')[0];
}
