import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { parseVersion, type Version } from './version.ts';

const run = promisify(execFile);

/** A nats-server that runs on this machine. */
export interface NatsServer {
  readonly path: string;
  readonly version: Version;
  /** Where it comes from, for the user. */
  readonly from: string;
}

/** A place that a nats-server can be had from. Resolves to undefined when it cannot be had there. */
export interface Source {
  readonly name: string;
  find(): Promise<NatsServer | undefined>;
}

/** Asks a file whether it is a nats-server that runs here. */
export async function inspect(path: string, from: string): Promise<NatsServer | undefined> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    const version = parseVersion(stdout);
    return version && { path, version, from };
  } catch {
    return undefined;
  }
}

/** The first executable of this name on PATH. */
export function findOnPath(name: string, path = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
