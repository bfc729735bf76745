import { parseArgs } from 'node:util';
import { ConfigError } from '@supplier/lib/runtime/config';

/**
 * Reads the flags of a command. Throws a ConfigError with the usage for an unknown flag. `--help` prints the usage and
 * exits the process.
 */
export function readFlags<Name extends string>(usage: string, names: readonly Name[]): ReadonlySet<Name> {
  const options = Object.fromEntries(['help', ...names].map((name) => [name, { type: 'boolean' as const }]));
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ options }));
  } catch {
    throw new ConfigError(usage);
  }
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  return new Set(names.filter((name) => values[name]));
}
