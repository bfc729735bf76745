import { execFile } from 'node:child_process';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isTested } from '@supplier/lib/testing/programs';
import { parseAllDocuments } from 'yaml';
import { type HelmMajor, helm } from '../../deploy/programs/tools.ts';
import type { KubernetesObject } from './objects.ts';

const run = promisify(execFile);

export const CHART = join(import.meta.dirname, '..', 'supplier-submissions');
/** The Kubernetes version to render for. A Helm built by `go install` has no default version. */
const KUBERNETES = '1.35.0';
const RENDER_MS = 120_000;
const LARGEST_OUTPUT = 32 << 20;

/** The result of a Helm command; never rejects. */
export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

export interface Values {
  readonly files?: readonly string[];
  readonly set?: readonly string[];
  /** The release name; `leads` by default. */
  readonly release?: string;
}

/** Runs one version of Helm. */
export class Helm {
  readonly #program: string;
  readonly #rendered = new WeakMap<Values, Promise<KubernetesObject[]>>();
  constructor(program: string) {
    this.#program = program;
  }

  lint(values: Values): Promise<Outcome> {
    return this.#run(['lint', CHART, '--strict', '--kube-version', KUBERNETES, ...flagsOf(values)]);
  }

  template(values: Values, chart = CHART): Promise<Outcome> {
    const { release = 'leads' } = values;
    const flags = ['--namespace', NAMESPACE, '--kube-version', KUBERNETES, ...flagsOf(values)];
    return this.#run(['template', release, chart, ...flags]);
  }

  /**
   * Returns every object that an install would create. Rejects with Helm's output if Helm rejects the values. Renders
   * the same `Values` object once.
   */
  async render(values: Values, chart = CHART): Promise<KubernetesObject[]> {
    if (chart !== CHART) return this.#objects(values, chart);
    const rendered = this.#rendered.get(values) ?? this.#objects(values, chart);
    this.#rendered.set(values, rendered);
    return structuredClone(await rendered);
  }

  async #objects(values: Values, chart: string): Promise<KubernetesObject[]> {
    const { ok, output } = await this.template(values, chart);
    if (!ok) throw new Error(output);
    return parseAllDocuments(output)
      .map((document) => {
        if (document.errors[0]) throw document.errors[0];
        return document.toJS() as KubernetesObject | null;
      })
      .filter((object) => object !== null);
  }

  /**
   * Returns the text that an install prints. Helm renders it only for a cluster, so this renders it as an extra object
   * in a copy of the chart.
   */
  async notes(values: Values): Promise<string> {
    const copy = await mkdtemp(join(tmpdir(), 'chart-notes-'));
    try {
      await cp(CHART, copy, { recursive: true });
      await rename(join(copy, 'templates', 'NOTES.txt'), join(copy, 'notes.txt'));
      await writeFile(
        join(copy, 'templates', 'notes.yaml'),
        'kind: Notes\nmetadata: { name: notes }\ntext: {{ tpl (.Files.Get "notes.txt") . | toJson }}\n',
      );
      const objects = await this.render(values, copy);
      return String(objects.find(({ kind }) => kind === 'Notes')?.text ?? '');
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }

  async #run(args: readonly string[]): Promise<Outcome> {
    try {
      const { stdout } = await run(this.#program, [...args], {
        timeout: RENDER_MS,
        maxBuffer: LARGEST_OUTPUT,
      });
      return { ok: true, output: stdout };
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      return { ok: false, output: `${stderr ?? ''}${stdout ?? ''}` || String(error) };
    }
  }
}

export const NAMESPACE = 'suppliers';
const flagsOf = ({ files = [], set = [] }: Values) => [
  ...files.flatMap((file) => ['--values', file.startsWith('/') ? file : join(CHART, file)]),
  ...set.flatMap((assignment) => ['--set-json', assignment]),
];

const helms = { 3: new Helm(helm[3].path), 4: new Helm(helm[4].path) };

/**
 * Declares a suite that needs Helm, which is built from Go's module proxy if missing. Without Helm and Go the suite is
 * skipped with a warning; with CI=true it runs and fails.
 */
export function describeWithHelm(name: string, major: HelmMajor, suite: (helm: Helm) => void): void {
  const runs = isTested(
    `the chart, with Helm ${major}`,
    helm[major].isAvailable(),
    'install Go (https://go.dev/doc/install)',
  );
  const declare = runs ? describe : describe.skip;
  declare(name, () => {
    beforeAll(() => helm[major].obtain(), helm[major].withinMs);
    suite(helms[major]);
  });
}
