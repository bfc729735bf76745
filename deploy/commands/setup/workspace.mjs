import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

export const setupState = join(root, '.run', 'setup');

export function servicesWithSchema() {
  return readdirSync(join(root, 'services')).filter((name) =>
    existsSync(join(root, 'services', name, 'prisma', 'schema.prisma')),
  );
}

export function packageFiles() {
  const services = readdirSync(join(root, 'services')).map((name) => join('services', name));
  return ['.', 'proto', 'deploy', 'test', 'docs/suppliers', ...services]
    .map((folder) => join(root, folder, 'package.json'))
    .filter((path) => existsSync(path));
}

/** Such as `pnpm@12.21.0`. */
export function packageManager() {
  const { packageManager: named } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return named.split('+')[0];
}
