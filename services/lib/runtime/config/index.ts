import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { DEPLOYMENT, deployment, looseSettings, onlyLocal } from './deployment.ts';
import { looseRuntime } from './node-options.ts';

export { httpUrl, postgresUrl, reachedUrl, urlOf } from './addresses.ts';
export { DEPLOYMENT, loosened } from './deployment.ts';

const PREFIX = 'SSS_';

export const descriptions = z.registry<{ readonly what: string }>();
/** Minimum and maximum of whole numbers. */
export const ranges = z.registry<{ readonly min: number; readonly max: number }>();

/** Adds the description of a variable for docs/settings.md: part of a sentence, in Markdown. */
export function setting<Schema extends z.ZodType>(schema: Schema, what: string): Schema {
  descriptions.add(schema, { what });
  return schema;
}

/** A configuration that the process must not start with: one problem per line, naming its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Settings<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>> & {
  readonly SSS_DEPLOYMENT?: 'local' | 'trial' | undefined;
};

/**
 * Reads the variables of `shape` and `SSS_DEPLOYMENT`. Throws a ConfigError with every missing, bad or unknown `SSS_`
 * variable, or a line for each loose value or Node flag outside a local deployment. Never repeats a value.
 */
export function readEnvironment<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
  execArgv: readonly string[] = process.execArgv,
): Settings<Shape> {
  const given = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(PREFIX)));
  const result = z.strictObject({ ...shape, [DEPLOYMENT]: deployment() }).safeParse(given);
  if (!result.success)
    throw new ConfigError(
      `bad configuration: ${result.error.issues.map((issue) => describe(issue, given)).join('; ')}`,
    );
  const values: Readonly<Record<string, unknown>> = result.data;
  const loose =
    values[DEPLOYMENT] === 'local'
      ? []
      : [...looseRuntime(env, execArgv).map(onlyLocal), ...looseSettings(shape, values)];
  if (loose.length > 0) throw new ConfigError(loose.map((line) => `bad configuration: ${line}`).join('\n'));
  return result.data as Settings<Shape>;
}

/** Like `readEnvironment`, for a command in a service's environment: ignores settings not in `shape`. */
export function readCommandEnvironment<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv = process.env,
): Settings<Shape> {
  const known = Object.entries(env).filter(
    ([name]) => name in shape || name === DEPLOYMENT || !name.startsWith(PREFIX),
  );
  return readEnvironment(shape, Object.fromEntries(known));
}

/** `maxAgeDays` for `MAX_AGE_DAYS`. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** The values of variables by shorter names, such as `maxAgeDays` for `SSS_MAX_AGE_DAYS`. */
type ByShortName<Values> = {
  readonly [Name in keyof Values as Name extends `SSS_${infer Rest}` ? CamelCase<Rest> : never]: Values[Name];
};

/** Returns the values of the variables in `shape` by shorter names, such as `maxAgeDays` for `SSS_MAX_AGE_DAYS`. */
export function byShortName<Shape extends z.ZodRawShape>(
  shape: Shape,
  values: Settings<Shape>,
): ByShortName<z.infer<z.ZodObject<Shape>>> {
  const shorter = (name: string) =>
    name
      .slice(PREFIX.length)
      .toLowerCase()
      .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const given: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(Object.keys(shape).map((name) => [shorter(name), given[name]])) as never;
}

function describe(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  if (issue.code === 'unrecognized_keys') return `unknown ${issue.keys.join(', ')}`;
  const name = String(issue.path[0]);
  return name in given ? `${name} ${issue.message}` : `${name} is missing`;
}

export const port = () => whole(1, 65535);

/** A whole number within inclusive bounds. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'is not a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `is not between ${min} and ${max}`)
    .register(ranges, { min, max });

export const flag = () =>
  z.enum(['true', 'false'], 'is neither true nor false').transform((text) => text === 'true');

/** The path of a readable file; parsed to the file's text. */
export const fileText = () =>
  z.string().transform((path, context) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      context.addIssue('must name a readable file');
      return z.NEVER;
    }
  });

export const text = () => z.string().min(1, 'is empty');

/** A comma-separated list of CIDR ranges; empty text is the empty list. */
export const cidrList = () =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    )
    .refine((items) => items.every(isCidr), 'is not a list of CIDR ranges');

function isCidr(text: string): boolean {
  const [network = '', prefix = '', ...more] = text.split('/');
  const family = network.includes('%') ? 0 : isIP(network);
  const maxPrefix = family === 4 ? 32 : 128;
  return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix;
}
