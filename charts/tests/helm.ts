import { execFile } from 'node:child_process';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type HelmMajor, helm } from '../../deploy/programs/tools.ts';
import type { KubernetesObject } from './objects.ts';

const run = promisify(execFile);

export const CHART = join(import.meta.dirname, '..', 'supplier-submissions');
/** What charts are rendered for. A Helm that `go install` built knows no version of Kubernetes by itself. */
const KUBERNETES = '1.35.0';
const RENDER_MS = 120_000;
const LARGEST_OUTPUT = 32 << 20;

/** The result of a command of Helm; never rejects. */
export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

export interface Values {
  readonly files?: readonly string[];
  readonly set?: readonly string[];
  /** Of the release; `leads` by default. */
  readonly release?: string;
}

/** One version of Helm. */
export class Helm {
  readonly #program: string;
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

  /** Every object that an install would make. Rejects with what Helm says when it refuses the values. */
  async render(values: Values, chart = CHART): Promise<KubernetesObject[]> {
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
   * What an install prints. Helm renders that for a cluster alone: here it is rendered as the content of one more object, in a
   * copy of the chart.
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

/**
 * A suite that needs Helm, built from Go's module proxy when it is not there yet. Where neither Helm nor Go is it is
 * skipped, and says so; with CI=true it runs, and fails.
 */
export function describeWithHelm(name: string, major: HelmMajor, suite: (helm: Helm) => void): void {
  const runs = helm[major].isAvailable() || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because there is no Go to build Helm ${major} with`);
  const declare = runs ? describe : describe.skip;
  declare(name, () => {
    beforeAll(() => helm[major].obtain(), helm[major].withinMs);
    suite(new Helm(helm[major].path));
  });
}
