import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** Variables with which packages, and the program of NATS, are downloaded. */
const VARIABLES =
  /^(?:npm_config_.*|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|PIP_INDEX_URL)$/i;

export interface RegistrySettings {
  readonly env: Readonly<Record<string, string>>;
  readonly npmrc: string;
  /** What the settings name, such as a certificate. */
  readonly files: readonly string[];
}

/**
 * Returns with what this machine reaches its registry of packages, for another root folder into which `files` are copied.
 * Settings that name folders, such as caches, are left out.
 */
export function registrySettings(
  env: Readonly<NodeJS.ProcessEnv> = process.env,
  npmrc = npmrcOfMachine(),
): RegistrySettings {
  const files = new Set<string>();
  const isUsable = (value: string) => {
    if (!isAbsolute(value)) return true;
    const isFile = existsSync(value) && statSync(value).isFile();
    if (isFile) files.add(value);
    return isFile;
  };
  const lines = npmrc.split('\n').filter((line) => isUsable(line.slice(line.indexOf('=') + 1).trim()));
  const used = Object.entries(env).flatMap(([name, value = '']) =>
    VARIABLES.test(name) && isUsable(value) ? [[name, value] as const] : [],
  );
  return { env: Object.fromEntries(used), npmrc: lines.join('\n'), files: [...files] };
}

function npmrcOfMachine(): string {
  const paths = ['globalconfig', 'userconfig'].map((name) =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim(),
  );
  return paths
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}
