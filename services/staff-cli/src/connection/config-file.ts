import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { CONTEXT_NAME, contextSchema } from './context-schema.ts';

const fileSchema = z.strictObject({
  /** The default context. */
  current: z.string().min(1).optional(),
  contexts: z.record(z.string().regex(CONTEXT_NAME), contextSchema),
});
export type ConfigFile = z.infer<typeof fileSchema>;

/**
 * Reads `config.json` in the folder, or returns undefined if there is none. Throws CommandFailure for an invalid file.
 */
export function readConfigFile(folder: string): ConfigFile | undefined {
  const path = join(folder, 'config.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandFailure(exitCodes.usage, `cannot read ${path}: ${(error as Error).message}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `${path} is not valid JSON: ${(error as Error).message}`);
  }
  return checked(json, path);
}

/**
 * Writes `config.json` in the folder atomically, after `check` has passed. Throws CommandFailure for an invalid
 * configuration.
 */
export function writeConfigFile(folder: string, config: ConfigFile, check: () => void = () => {}): void {
  const path = join(folder, 'config.json');
  checked(config, path);
  check();
  const staged = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(staged, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    renameSync(staged, path);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `cannot write ${path}: ${(error as Error).message}`);
  }
}

function checked(json: unknown, path: string): ConfigFile {
  const parsed = fileSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path: at, message }) => `${at.join('.') || 'the file'}: ${message}`,
  );
  throw new CommandFailure(exitCodes.usage, `${path} is invalid`, faults);
}
