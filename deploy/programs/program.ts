import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLockFile } from '../local/state/lock-file.mjs';
import { findGo, findOnPath, GO_FOLDER } from './on-path.mjs';

/** Outside the repository, so that all checkouts on this machine share it. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
const LOCK_POLL_MS = 500;
const REPORT_EVERY_MS = 15_000;
const MAX_OUTPUT_BYTES = 32 << 20;
/** Of a failed build. */
const MAX_LINES = 20;

/** A program in a pinned version, downloaded or built once per machine. */
export type Program = ReturnType<typeof program>;

interface Recipe {
  /** Includes the version: another version is another folder. */
  readonly name: string;
  /** Path within the folder. */
  readonly file: string;
  /** The timeout for obtaining it on a busy machine. */
  readonly withinMs: number;
  /** The commands it takes, with the Debian package of each. */
  readonly needs: Readonly<Record<string, string>>;
  /** Writes the program into `folder`, which is kept only if this succeeds. */
  obtain(folder: string): Promise<void>;
}

/** `cache` is the folder that all checkouts on this machine share. */
export function program(
  { name, file, withinMs, needs, obtain }: Recipe,
  { cache = CACHE, report = reportToTerminal, reportEveryMs = REPORT_EVERY_MS } = {},
) {
  const folder = join(cache, name);
  const path = join(folder, file);
  const isObtained = () => existsSync(folder);
  /** Debian packages that are missing to obtain it. */
  const missing = (): string[] =>
    Object.entries(needs).flatMap(([command, debian]) => (findOnPath(command, [GO_FOLDER]) ? [] : [debian]));
  const work = 'go' in needs ? `building ${name} with Go` : `downloading ${name}`;
  /** Reports when work that takes minutes begins, continues and ends. */
  async function reported(doing: string, done: Promise<void>): Promise<void> {
    const began = Date.now();
    const seconds = () => Math.round((Date.now() - began) / 1_000);
    report(`${doing}, once for this machine: this may take minutes …`);
    const timer = setInterval(() => report(`${doing}: ${seconds()} s …`), reportEveryMs);
    try {
      await done;
      report(`${doing}: done after ${seconds()} s`);
    } finally {
      clearInterval(timer);
    }
  }
  return {
    ...{ name, folder, path, withinMs, isObtained, missing },
    /** Whether it is installed or can be obtained. */
    isAvailable: () => isObtained() || missing().length === 0,
    /** Obtains it if needed, and returns its path. If several processes ask, one does the work while the others wait. */
    async obtain(): Promise<string> {
      const lockFile = join(cache, `.${name}.lock`);
      const deadline = Date.now() + withinMs;
      let isWaiting = false;
      while (!isObtained()) {
        const lock = takeLockFile(lockFile);
        if (!('release' in lock)) {
          if (Date.now() > deadline)
            throw new Error(
              `another process${lock.owner ? ` (${lock.owner.pid})` : ''} has been obtaining ${name} for more than ${withinMs / 1_000} s: stop it and try again`,
            );
          if (!isWaiting) report(`waiting for another process (${lock.owner?.pid}), which is ${work}`);
          isWaiting = true;
          await pause(LOCK_POLL_MS);
          continue;
        }
        const draft = mkdtempSync(join(cache, 'obtaining-'));
        try {
          await reported(work, obtain(draft));
          if (!isObtained()) renameSync(draft, folder);
        } finally {
          rmSync(draft, { recursive: true, force: true });
          lock.release();
        }
      }
      return path;
    },
  };
}

/** Stderr, because jest hides the output of tests. */
const reportToTerminal = (line: string) => void process.stderr.write(`${line}\n`);

/** Obtains the programs whose requirements are met. Fails the process if one of them can't be obtained. */
export async function obtainAll(programs: readonly Program[]): Promise<void> {
  for (const one of programs) {
    const missing = one.isObtained() ? [] : one.missing();
    console.log(`${one.name}${missing.length > 0 ? `: skipped, missing ${missing.join(', ')}` : ' …'}`);
    if (missing.length > 0) continue;
    await one.obtain().catch((error: unknown) => {
      console.error(`cannot obtain ${one.name}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    });
  }
}

export const GO = { go: 'golang-go' };

/** A program that `go install` builds. */
export function goProgram(name: string, version: string, source: string, withinMs: number): Program {
  return program({
    ...{ name: `${name}-${version}`, file: name, withinMs, needs: GO },
    obtain: async (GOBIN) => {
      await runGo(['install', `${source}@v${version}`], { cwd: GOBIN, env: { GOBIN }, withinMs });
    },
  });
}

export interface GoOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly withinMs: number;
  /** Path of Go; the machine's own by default. */
  readonly go?: string;
}

/** Runs Go and resolves to its output. Rejects with its last lines when it fails, or when the time is over. */
export function runGo(args: readonly string[], { cwd, env, withinMs, go = requireGo() }: GoOptions) {
  return new Promise<string>((resolve, reject) => {
    const options = {
      cwd,
      env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', ...env },
      timeout: withinMs,
      maxBuffer: MAX_OUTPUT_BYTES,
    };
    execFile(go, [...args], options, (error, stdout, stderr) => {
      const command = `go ${args.join(' ')}`;
      if (!error) resolve(stdout);
      else if (error.killed && error.signal === 'SIGTERM')
        reject(
          new Error(
            `${command} took longer than ${withinMs / 1_000} s; run it again to continue from Go's cache`,
          ),
        );
      else reject(new Error(`${command}: ${lastLines(stderr) || error.message}`));
    });
  });
}

function requireGo(): string {
  const go = findGo();
  if (!go) throw new Error('Go is neither on PATH nor in /usr/local/go: https://go.dev/doc/install');
  return go;
}

const lastLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('go: downloading'))
    .slice(-MAX_LINES)
    .join('\n');
