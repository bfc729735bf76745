import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSystemError } from './system-error.ts';

const OWNER_ONLY = 0o600;

/** Replaces a file atomically, readable by its owner only. */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: OWNER_ONLY });
  renameSync(draft, path);
}

export function writePrivateJson(path: string, value: unknown): void {
  writePrivateFile(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Returns the secret that a JSON file holds in `field`; generates and writes it, with `beside`, on the first call. */
export function rememberedSecret(
  path: string,
  field: string,
  beside: Readonly<Record<string, string>> = {},
): string {
  const stored = (readJsonIfPresent(path) as Record<string, unknown> | undefined)?.[field];
  if (typeof stored === 'string') return stored;
  const secret = randomBytes(24).toString('hex');
  writePrivateJson(path, { ...beside, [field]: secret });
  return secret;
}

/** Reads a file; undefined if there is none. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Reads a JSON file; undefined if there is none. */
export function readJsonIfPresent(path: string): unknown {
  const text = readIfPresent(path);
  return text === undefined ? undefined : JSON.parse(text);
}
