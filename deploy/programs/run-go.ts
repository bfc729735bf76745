import { execFile } from 'node:child_process';
import { requireGo } from './on-path.ts';

const LARGEST_OUTPUT = 32 << 20;
const TRIES = 2;
/** Of a failed build: its first lines are what Go downloads. */
const MAX_LINES = 20;

export interface GoRun {
  /** What is built, as people call it. */
  readonly what: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For each of two tries: what the first has compiled is kept in Go's cache. */
  readonly withinMs: number;
  readonly say?: (line: string) => void;
  /** The machine's own unless it is told. */
  readonly go?: string;
}

/**
 * Runs Go, twice when it has not finished within its time, and resolves to what it prints. Rejects with a sentence when the
 * time is over again, and with the last lines of what Go says is wrong otherwise.
 */
export async function runGo(args: readonly string[], run: GoRun): Promise<string> {
  const { what, withinMs, say = (line) => console.error(line) } = run;
  const seconds = Math.round(withinMs / 1_000);
  for (let tried = 1; ; tried += 1) {
    const { late, failure, stdout } = await tryGo(args, run);
    if (late && tried < TRIES)
      say(
        `${what} was not built within ${seconds} s; what is compiled is kept, and the build goes on from there`,
      );
    else if (late)
      throw new Error(
        `${what} was not built within ${seconds} s, ${TRIES} times: what is compiled is kept in Go's cache, so run the same command again when this machine has less to do`,
      );
    else if (failure !== undefined) throw new Error(`${what} cannot be built: ${failure}`);
    else return stdout;
  }
}

interface Tried {
  readonly late: boolean;
  readonly failure?: string;
  readonly stdout: string;
}

const tryGo = (args: readonly string[], { cwd, env, withinMs, go = requireGo() }: GoRun) =>
  new Promise<Tried>((resolve) => {
    const options = { cwd, env, timeout: withinMs, maxBuffer: LARGEST_OUTPUT };
    execFile(go, [...args], options, (error, stdout, stderr) => {
      const late = error?.killed === true && error.signal === 'SIGTERM';
      resolve({ late, stdout, ...(error && { failure: lastLines(stderr) || error.message }) });
    });
  });

const lastLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('go: downloading'))
    .slice(-MAX_LINES)
    .join('\n');
