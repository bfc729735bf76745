/** Connect's conformance suite, built from Go's module proxy. As a program: builds it if it is not there yet. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areThere, folderOf, obtainedOnce } from './obtained-once.ts';
import { findGo, requireGo } from './on-path.ts';

const run = promisify(execFile);

/** Compiling takes half a minute on two cores with nothing cached, and much longer while others work. */
export const BUILD_MS = 600_000;
const VERSION = '1.0.7';
const MODULE = 'connectrpc.com/conformance';
const NAME = { name: `connectconformance-${VERSION}` };
const BUF = join(import.meta.dirname, '../../proto/node_modules/.bin/buf');

export const CONFORMANCE = join(folderOf(NAME), 'connectconformance');
/** The contracts of the suite, as a FileDescriptorSet. */
export const CONFORMANCE_PROTOS = join(folderOf(NAME), 'protos.binpb');
/** Whether it is there, or what it takes to build it. */
export const canBeHad = (): boolean => areThere(NAME) || findGo() !== undefined;

/** Builds the suite unless it is there; of several that ask, one builds. Rejects where there is no Go. */
export async function obtainConformance(): Promise<void> {
  await obtainedOnce({ ...NAME, withinMs: BUILD_MS, obtain: build });
}

async function build(folder: string): Promise<void> {
  const go = requireGo();
  const work = mkdtempSync(join(tmpdir(), 'conformance-'));
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const options = { cwd: work, env, timeout: BUILD_MS };
  try {
    await run(go, ['install', `${MODULE}/cmd/connectconformance@v${VERSION}`], options);
    const { stdout } = await run(go, ['mod', 'download', '-json', `${MODULE}@v${VERSION}`], options);
    const { Dir } = JSON.parse(stdout) as { Dir: string };
    await run(BUF, ['build', join(Dir, 'proto'), '--output', join(folder, 'protos.binpb')], options);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  console.log(`connectconformance ${VERSION} …`);
  await obtainConformance();
}
