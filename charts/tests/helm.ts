import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from './objects.ts';

const run = promisify(execFile);

export const CHART = join(import.meta.dirname, '..', 'supplier-submissions');
/** What charts are rendered for. A Helm that `go install` built knows no version of Kubernetes by itself. */
const KUBERNETES = '1.35.0';
/** Compiling takes four minutes on two slow cores with nothing cached, and as long again while others work. */
export const BUILD_MS = 600_000;
const RENDER_MS = 120_000;
const LARGEST_OUTPUT = 32 << 20;

const RELEASES = {
  3: { version: '3.22.0', source: 'helm.sh/helm/v3/cmd/helm' },
  4: { version: '4.3.1', source: 'helm.sh/helm/v4/cmd/helm' },
} as const;
export type Major = keyof typeof RELEASES;

/** Outside of the repository: every checkout of this machine uses the same. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
const programOf = (major: Major) => join(CACHE, `helm-${RELEASES[major].version}`, 'helm');

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

  template(values: Values): Promise<Outcome> {
    const { release = 'leads' } = values;
    const flags = ['--namespace', NAMESPACE, '--kube-version', KUBERNETES, ...flagsOf(values)];
    return this.#run(['template', release, CHART, ...flags]);
  }

  /** Every object that an install would make. Rejects with what Helm says when it refuses the values. */
  async render(values: Values): Promise<KubernetesObject[]> {
    const { ok, output } = await this.template(values);
    if (!ok) throw new Error(output);
    return parseAllDocuments(output)
      .map((document) => {
        if (document.errors[0]) throw document.errors[0];
        return document.toJS() as KubernetesObject | null;
      })
      .filter((object) => object !== null);
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
export function describeWithHelm(name: string, major: Major, suite: (helm: Helm) => void): void {
  const runs = existsSync(programOf(major)) || goOnPath() !== undefined || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because there is no Go to build Helm ${major} with`);
  const declare = runs ? describe : describe.skip;
  declare(name, () => {
    beforeAll(() => obtain(major), BUILD_MS);
    suite(new Helm(programOf(major)));
  });
}

/** Builds Helm unless it is there; of several that ask, one builds. */
async function obtain(major: Major): Promise<void> {
  const program = programOf(major);
  const lock = `${program}.lock`;
  mkdirSync(join(program, '..'), { recursive: true });
  while (!existsSync(program)) {
    if (!tryLock(lock)) {
      await pause(500);
      continue;
    }
    try {
      await build(major, program);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

/** True for the one who got it. What a killed run left behind is taken away after the time that a build may take. */
function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > BUILD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

async function build(major: Major, program: string): Promise<void> {
  const go = goOnPath();
  const { version, source } = RELEASES[major];
  if (!go) throw new Error(`there is neither Helm ${version} in ${CACHE} nor Go on PATH to build it with`);
  const GOBIN = mkdtempSync(join(CACHE, 'building-'));
  try {
    const env = { ...process.env, GOBIN, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    await run(go, ['install', `${source}@v${version}`], { cwd: GOBIN, env, timeout: BUILD_MS });
    renameSync(join(GOBIN, 'helm'), program);
  } finally {
    rmSync(GOBIN, { recursive: true, force: true });
  }
}

function goOnPath(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'go'));
  return [...candidates, '/usr/local/go/bin/go'].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
