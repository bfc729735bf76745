/** Tools that tests and releases use, in pinned versions. As a program, obtains the tools that can be obtained here. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubernetes } from './kubernetes/kubernetes.ts';
import { GO, goProgram, obtainAll, program, runGo } from './program.ts';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** Helm by its major version. */
export const helm = {
  3: goProgram('helm', '3.22.0', 'helm.sh/helm/v3/cmd/helm', 30 * MINUTE_MS),
  4: goProgram('helm', '4.3.1', 'helm.sh/helm/v4/cmd/helm', 30 * MINUTE_MS),
} as const;
export type HelmMajor = keyof typeof helm;

export const actionlint = goProgram(
  'actionlint',
  '1.7.12',
  'github.com/rhysd/actionlint/cmd/actionlint',
  10 * MINUTE_MS,
);

/** Built in a separate module, because `go install` refuses modules with replacements. */
export const promtool = program({
  ...{ name: 'promtool-0.315.0', file: 'promtool', withinMs: 30 * MINUTE_MS, needs: GO },
  obtain: (folder) =>
    inTemporaryFolder(async (cwd) => {
      const source = 'github.com/prometheus/prometheus/cmd/promtool';
      const go = (...args: string[]) => runGo(args, { cwd, withinMs: 30 * MINUTE_MS });
      await go('mod', 'init', 'promtool');
      await go('get', `${source}@v0.315.0`);
      // Without service discovery, which makes Prometheus large and which rules don't need.
      const flags = ['-tags', 'remove_all_sd,netgo', '-ldflags', '-s -w'];
      await go('build', ...flags, '-o', join(folder, 'promtool'), source);
    }),
});

/** Connect's conformance suite. */
export const conformance = program({
  ...{ name: 'connectconformance-1.0.7', file: 'connectconformance', withinMs: 10 * MINUTE_MS, needs: GO },
  obtain: (folder) =>
    inTemporaryFolder(async (cwd) => {
      const module = 'connectrpc.com/conformance';
      const options = { cwd, env: { GOBIN: folder }, withinMs: 10 * MINUTE_MS };
      await runGo(['install', `${module}/cmd/connectconformance@v1.0.7`], options);
      const downloaded = await runGo(['mod', 'download', '-json', `${module}@v1.0.7`], options);
      const { Dir } = JSON.parse(downloaded) as { Dir: string };
      const buf = join(import.meta.dirname, '../../proto/node_modules/.bin/buf');
      await run(buf, ['build', join(Dir, 'proto'), '--output', join(folder, 'protos.binpb')], { cwd });
    }),
});
/** The suite's contracts, as a FileDescriptorSet. */
export const CONFORMANCE_PROTOS = join(conformance.folder, 'protos.binpb');

async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'building-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await obtainAll([helm[3], helm[4], promtool, actionlint, conformance, kubernetes]);
