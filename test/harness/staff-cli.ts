import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stackFile } from './stack.ts';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** The command line. Uses this run's bundle if there is one, which starts in half the time. */
const bundles = process.env.TEST_BUNDLES;
const SSS: readonly [string, ...string[]] = bundles
  ? [process.execPath, '--disable-warning=ExperimentalWarning', join(bundles, 'sss', 'src', 'main.mjs')]
  : [join(checkout, 'node_modules', '.bin', 'sss')];

/** Defines `sss` for scripts that call it, where it was bundled. */
export const SSS_FUNCTION = bundles ? `sss() { ${SSS.map((part) => `'${part}'`).join(' ')} "$@"; }\n` : '';
/** Longer than any test's timeout; a program that hangs is killed. */
const LONGEST_MS = 1_200_000;

/** A program's exit code and output. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user of the command line with a separate configuration. */
export interface StaffShell {
  /** The configuration folder. */
  readonly folder: string;
  /** Runs `sss` as a user does. */
  run(...args: string[]): Promise<Ended>;
  /** Runs `sss` with environment variables and standard input. */
  runWith(
    more: { readonly env?: Record<string, string>; readonly input?: string },
    ...args: string[]
  ): Promise<Ended>;
  /** Runs any program. */
  program(command: string, args: readonly string[], input?: string, env?: Record<string, string>): Running;
  close(): void;
}

/** A running program. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Returns its standard error so far. */
  stderr(): string;
  stdout(): string;
  signal(name: NodeJS.Signals): void;
}

/** Returns the shell of a user who has never used the command line before, connected to the stack under test. */
export function staffShell(): StaffShell {
  const folder = mkdtempSync(join(tmpdir(), 'sss-'));
  const usual = { SSS_STACK: stackFile(), SSS_CONFIG_DIR: folder };

  function program(
    command: string,
    args: readonly string[],
    input = '',
    env: Record<string, string> = {},
  ): Running {
    // The tests' own variables must not affect which stack the command calls.
    const { SSS_TOKEN: _, SSS_CONTEXT: __, NODE_OPTIONS: ___, ...inherited } = process.env;
    const child = spawn(command, args, {
      cwd: checkout,
      env: { ...inherited, ...usual, ...env },
      timeout: LONGEST_MS,
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [stdout, stderr] = [() => Buffer.concat(out).toString(), () => Buffer.concat(err).toString()];
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
    });
    return { ended, stdout, stderr, signal: (name) => void child.kill(name) };
  }

  const [command, ...first] = SSS;
  return {
    folder,
    run: (...args) => program(command, [...first, ...args]).ended,
    runWith: ({ env, input }, ...args) => program(command, [...first, ...args], input, env).ended,
    program,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
