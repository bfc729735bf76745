import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eicarSignatureFile } from '../../../services/document/testing/eicar.ts';

/** Where freshclam keeps the official databases. */
const OFFICIAL_FOLDER = '/var/lib/clamav';
const OFFICIAL = /^(?:main|daily|bytecode)\.c[lv]d$/;

/** Which signatures the local clamd has. */
export interface Signatures {
  readonly folder: string;
  /** Names of the official databases; empty where freshclam has never run. */
  readonly official: readonly string[];
}

/** Makes a folder of signatures: our own for the EICAR test file, and links to the official databases if there are any. */
export function prepareSignatures(folder: string, officialFolder = OFFICIAL_FOLDER): Signatures {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'local.ndb'), eicarSignatureFile());
  const official = listed(officialFolder).filter((name) => OFFICIAL.test(name));
  for (const name of official) symlinkSync(join(officialFolder, name), join(folder, name));
  return { folder, official };
}

/** What the user should know of them. */
export function describeSignatures({ official }: Signatures): string {
  return official.length > 0
    ? `the official ones (${official.join(', ')}), which take about 1.2 GiB of memory, and one for the EICAR test file`
    : 'one for the EICAR test file and nothing else: there are no official ones on this machine';
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
