import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LARGEST_OUTPUT = 32 << 20;
/** Beyond what Helm is told to wait. */
const BEYOND_MS = 60_000;

export interface HelmOptions {
  readonly program: string;
  /** Which cluster: `--kubeconfig` or `--kube-context`, with its value. */
  readonly cluster: readonly string[];
  readonly namespace: string;
  readonly release: string;
  /** Helm keeps nothing outside of it. */
  readonly home: string;
}

/** A release, as Helm installs and changes it. What Helm refuses rejects with what Helm says. */
export interface Release {
  /** Installs or upgrades with files of values and values on top; with a time, waits so long until all of it is ready. */
  apply(
    action: 'install' | 'upgrade',
    chart: string,
    values: Values,
    withinSeconds: number | undefined,
  ): Promise<string>;
  rollback(revision: number, withinSeconds: number): Promise<string>;
  uninstall(withinSeconds: number | undefined): Promise<string>;
  /** Revisions and what became of them, oldest first. */
  history(): Promise<readonly { readonly revision: number; readonly status: string }[]>;
}

export interface Values {
  readonly files: readonly string[];
  readonly set: Readonly<Record<string, unknown>>;
}

export function helmRelease({ program, cluster, namespace, release, home }: HelmOptions): Release {
  mkdirSync(home, { recursive: true });
  const env = {
    ...process.env,
    ...Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((part) => [`HELM_${part}_HOME`, join(home, part)])),
  };
  const helm = (args: readonly string[], withinSeconds?: number) =>
    new Promise<string>((resolve, reject) => {
      const waits = withinSeconds === undefined ? [] : ['--wait', '--timeout', `${withinSeconds}s`];
      const all = [...args, ...cluster, '--namespace', namespace, ...waits];
      const timeout = (withinSeconds ?? 0) * 1_000 + BEYOND_MS;
      execFile(program, all, { env, timeout, maxBuffer: LARGEST_OUTPUT }, (error, stdout, stderr) => {
        if (error) reject(new Error(`helm ${args[0]}: ${stderr.trim() || error.message}`));
        else resolve(stdout);
      });
    });
  return {
    apply(action, chart, { files, set }, withinSeconds) {
      const own = join(home, 'values.json');
      writeFileSync(own, JSON.stringify(set), { mode: 0o600 });
      const values = [...files, own].flatMap((file) => ['--values', file]);
      return helm([action, release, chart, ...values], withinSeconds);
    },
    rollback: (revision, within) => helm(['rollback', release, String(revision)], within),
    uninstall: (within) => helm(['uninstall', release], within),
    async history() {
      return JSON.parse(await helm(['history', release, '--output', 'json']));
    },
  };
}
