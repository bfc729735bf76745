import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { MAX_ANSWER_LENGTH } from './content-fault.ts';

/** The source file imports from the whole repository; the bundle has everything in one folder. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = beside(IS_SOURCE ? './content-program.ts' : './content-program.mjs');
/** Everything that the program may read: its code, and no file with a secret. */
const CODE = IS_SOURCE
  ? ['node_modules/*', 'proto/*', 'services/*', 'package.json'].map((path) => beside(`../../../../${path}`))
  : [beside('./*')];
const MAX_HEAP_MIB = 256;
/** A user that owns nothing. */
const NOBODYS_USER = 65_533;
const TRIAL_MS = 60_000;

/** A program that checks one document. */
export interface OpenContent {
  readonly input: Writable;
  /** Resolves to what the program printed when it has ended successfully. Rejects with ContentUnchecked. */
  readonly answer: Promise<string>;
  /** Kills the program, even in the middle of a check. */
  close(): void;
}

/** The check failed: its process exited, was too slow or used too much memory. */
export class ContentUnchecked extends Error {
  override readonly name: string = 'ContentUnchecked';
  constructor(failure: string, cause?: unknown) {
    super(`content not checked: ${failure}`, { cause });
  }
}

/**
 * Starts the program in a process without the settings, credentials and connections of the service: its environment is
 * empty, it can read only its own code, and it can neither write files nor start programs. Its memory is bounded.
 */
export function spawnContent(args: readonly string[], program = PROGRAM): OpenContent {
  const [command = '', ...line] = [...contentIsolation(), ...commandOf(program), ...args];
  const child = spawn(command, line, {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    // In a process group of its own, which it may signal.
    detached: true,
  });
  // Writing to a process that has exited also fails; `answer` reports it.
  child.stdin.on('error', () => {});
  const text = textOf(child.stdout, MAX_ANSWER_LENGTH);
  return {
    input: child.stdin,
    answer: once(child, 'close').then(
      ([code, signal]) => {
        if (code !== 0) throw new ContentUnchecked(`process ended with ${signal ?? code}`);
        return text();
      },
      (cause: unknown) => {
        throw new Error('content check not started', { cause });
      },
    ),
    close() {
      child.kill('SIGKILL');
      child.stdin.destroy();
      child.stdout.destroy();
    },
  };
}

/** Collects the beginning of a text. */
export function textOf(stream: Readable, maxLength: number): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, maxLength);
  });
  return () => text;
}

function commandOf(program: string): string[] {
  const readable = [...CODE, program].map((path) => `--allow-fs-read=${path}`);
  const flags = ['--disable-sigusr1', '--permission', ...readable, `--max-old-space-size=${MAX_HEAP_MIB}`];
  return [process.execPath, ...flags, program];
}

let isolation: readonly string[] | undefined;

/**
 * Returns the command line before a program that runs it, with util-linux, in its own namespaces: it sees no other
 * process, has no network, can gain no privilege, and ends with this process. As root it also has another user. Empty
 * where the system does not allow that. The first call tries it.
 */
export function contentIsolation(): readonly string[] {
  isolation ??= isPossible() ? namespaces() : [];
  return isolation;
}

function namespaces(): string[] {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot
    ? [`--reuid=${NOBODYS_USER}`, `--regid=${NOBODYS_USER}`, '--clear-groups', '--pdeathsig=KILL']
    : [];
  return [
    ...['setpriv', '--pdeathsig=KILL', '--', 'unshare', ...(isRoot ? [] : ['--user'])],
    ...['--net', '--pid', '--ipc', '--mount-proc', '--fork', '--kill-child', '--'],
    // A change of user forgets what ends it with its parent.
    ...['setpriv', '--no-new-privs', ...user, '--'],
  ];
}

/** Returns whether the program, in namespaces, can read its code and check a document. */
function isPossible(): boolean {
  const [command = '', ...args] = [...namespaces(), ...commandOf(PROGRAM), 'text/csv'];
  const { status } = spawnSync(command, args, { env: {}, input: 'a,b\n', stdio: 'pipe', timeout: TRIAL_MS });
  return status === 0;
}
