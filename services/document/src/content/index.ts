import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { within } from '@supplier/lib/runtime/deadlines';
import type { ContentPolicy } from './content-check.ts';

export type { ContentPolicy } from './content-check.ts';

/** The source file imports from the whole repository; the bundle has everything in one folder. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = beside(IS_SOURCE ? './content-program.ts' : './content-program.mjs');
/** Everything that the program may read: its code, and no file with a secret. */
const CODE = beside(IS_SOURCE ? '../../../../' : './');
const MAX_HEAP_MIB = 256;
const MAX_ANSWER_LENGTH = 64;

export interface ContentBounds {
  /** Maximum time the process may accept no bytes, or take to answer after the last byte. */
  readonly silentMs: number;
}

export const CONTENT_BOUNDS: ContentBounds = { silentMs: 60_000 };

/** Inspects a stream on its way to the scanner, in a separate process. */
export interface ContentProcess {
  /** Passes bytes on and resolves when it accepts more. Rejects with ContentUnchecked. */
  take(chunk: Uint8Array): Promise<void>;
  /** Resolves to whether the completed stream matches its declared type. Rejects with ContentUnchecked. */
  matches(): Promise<boolean>;
  /** Bytes so far. */
  size(): number;
  /** Kills the process, even in the middle of a check. */
  close(): void;
}

/** The check failed: its process exited, was too slow or used too much memory. */
export class ContentUnchecked extends Error {
  override readonly name = 'ContentUnchecked';
  constructor(failure: string, cause?: unknown) {
    super(`content not checked: ${failure}`, { cause });
  }
}

/**
 * Starts a process that checks one document. It parses hostile bytes without the settings, credentials and connections
 * of the service: its environment is empty, it can read only its own code, and it can neither write files nor start
 * programs. Its memory and its response time are bounded.
 */
export function startContentProcess(
  type: string,
  { refusePdfActions }: ContentPolicy,
  { bounds = CONTENT_BOUNDS, program = PROGRAM }: { bounds?: ContentBounds; program?: string } = {},
): ContentProcess {
  const readable = [`--allow-fs-read=${CODE}*`, `--allow-fs-read=${program}`];
  const flags = ['--permission', ...readable, `--max-old-space-size=${MAX_HEAP_MIB}`];
  const policy = refusePdfActions ? 'refuse-pdf-actions' : 'accept-pdf-actions';
  const child = spawn(process.execPath, [...flags, program, type, policy], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { stdin, stdout } = child;
  const ended = answerOf(child);
  // The caller that awaits the answer gets the failure, but it may not be waiting yet.
  ended.catch(() => {});
  // Writing to a process that has exited also fails; `ended` reports it.
  stdin.on('error', () => {});
  let size = 0;

  const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
    within(bounds.silentMs, work, () => {
      child.kill('SIGKILL');
      throw new ContentUnchecked('timed out');
    });

  return {
    async take(chunk) {
      size += chunk.length;
      if (stdin.write(chunk)) return;
      const drained = new Promise<void>((resolve) => stdin.once('drain', resolve));
      await inTime(Promise.race([drained, ended]));
    },
    async matches() {
      stdin.end();
      const answer = await inTime(ended);
      if (answer !== 'matches' && answer !== 'differs') throw new ContentUnchecked('unknown answer');
      return answer === 'matches';
    },
    size: () => size,
    close() {
      child.kill('SIGKILL');
      stdin.destroy();
      stdout.destroy();
    },
  };
}

/** Resolves to the output of a process that exited successfully. Rejects with ContentUnchecked otherwise. */
async function answerOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, MAX_ANSWER_LENGTH);
  });
  const [code, signal] = await once(child, 'close').catch((error: unknown) => {
    throw new Error('content check not started', { cause: error });
  });
  if (code !== 0) throw new ContentUnchecked(`process ended with ${signal ?? code}`);
  return text;
}

/**
 * Resolves to whether a check of harmless content succeeds. If it does, another check's failure is not the machine's
 * fault.
 */
export async function canCheckContent(inspect: (contentType: string) => ContentProcess): Promise<boolean> {
  const probe = inspect('text/csv');
  try {
    await probe.take(Buffer.from('a,b\n'));
    return await probe.matches();
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
