import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { stackFile } from './stack.ts';

const MAIN = resolve(import.meta.dirname, '../../deploy/local/sample-data/main.ts');
const WITHIN_MS = 120_000;

/** Adds `count` sample submissions to the stack. `file` remembers what was added, so that repeating it adds nothing. */
export async function addSampleData(file: string, count: number): Promise<void> {
  await promisify(execFile)(process.execPath, [MAIN, stackFile(), file, String(count)], {
    timeout: WITHIN_MS,
  });
}

/** Returns the accounts that were added, by the key of their supplier. */
export function sampleAccounts(file: string): Readonly<Record<string, { readonly accountId: string }>> {
  const { accounts } = JSON.parse(readFileSync(file, 'utf8')) as {
    accounts: Record<string, { accountId: string }>;
  };
  return accounts;
}
