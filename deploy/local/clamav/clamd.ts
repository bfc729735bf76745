import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clamdConf } from '../../../services/document/src/scan/clamd/clamd-settings.ts';
import { eicarSignatureFile } from '../../../services/document/testing/eicar.ts';
import { findOnPath } from '../../programs/on-path.mjs';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { boundToParent } from '../supervisor/wrapper.ts';
import type { Terminal } from '../terminal.ts';
import { greets } from '../wait-until.ts';

/** Debian's folder for clamd, which is only on root's PATH. */
const DEBIAN_FOLDER = '/usr/sbin';
const OFFICIAL_FOLDER = '/var/lib/clamav';
const OFFICIAL = /^(?:main|daily|bytecode)\.c[lv]d$/;

export interface Signatures {
  readonly folder: string;
  /** Names of the official databases; empty where freshclam has never run. */
  readonly official: readonly string[];
}

/** Returns the path of the clamd of this machine, if it has one. */
export const findClamd = (): string | undefined => findOnPath('clamd', [DEBIAN_FOLDER]);

export async function startClamd(
  { state, supervisor, terminal }: { state: StateFolder; supervisor: Supervisor; terminal: Terminal },
  clamd: string,
  port: number,
): Promise<void> {
  const signatures = prepareSignatures(join(state.clamav, 'signatures'));
  await supervisor.start(clamdProgram(clamd, state, signatures, port));
  terminal.say(`clamd from ${clamd} with signatures: ${describeSignatures(signatures)}`);
}

/** Creates a folder with a signature for the EICAR test file, and links to the official databases if there are any. */
export function prepareSignatures(folder: string, officialFolder = OFFICIAL_FOLDER): Signatures {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'local.ndb'), eicarSignatureFile());
  let official: string[] = [];
  try {
    official = readdirSync(officialFolder).filter((name) => OFFICIAL.test(name));
  } catch {
    // There are no official databases.
  }
  for (const name of official) symlinkSync(join(officialFolder, name), join(folder, name));
  return { folder, official: official.sort() };
}

export function describeSignatures({ official }: Signatures): string {
  return official.length > 0
    ? `the official ones (${official.join(', ')}), which use about 1.2 GiB of memory, and one for the EICAR test file`
    : 'only one for the EICAR test file, because this machine has no official ones';
}

function clamdProgram(clamd: string, state: StateFolder, signatures: Signatures, port: number): Program {
  const config = join(state.clamav, 'clamd.conf');
  const temporary = join(state.clamav, 'temporary');
  const settings = {
    TCPAddr: '127.0.0.1',
    TCPSocket: String(port),
    DatabaseDirectory: signatures.folder,
    TemporaryDirectory: temporary,
    // Loading the official databases beside the old ones would double the memory.
    ConcurrentDatabaseReload: 'no',
  };
  return {
    name: 'clamd',
    ...boundToParent('TERM', clamd, ['--config-file', config]),
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
    cwd: state.path,
    ...{ stopSignal: 'SIGTERM', stopWithinMs: 10_000, channel: false },
    prepare: () => {
      mkdirSync(temporary, { recursive: true });
      writeFileSync(config, clamdConf(settings));
    },
    isReady: () => greets(port, 'PONG\0', 'zPING\0'),
    readyWithinMs: 600_000,
  };
}
