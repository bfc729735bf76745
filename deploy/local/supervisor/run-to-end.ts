import { spawn } from 'node:child_process';

const OUTPUT_LIMIT = 64 * 1024;

export interface Outcome {
  /** 127 if it can't be run, 1 after a signal. */
  readonly code: number;
  /** The last 64 KiB of stdout and stderr. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly withinMs: number;
}

/** Runs a program; kills it when its time is over or this process exits. Never rejects. */
export function runToEnd(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_LIMIT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const kill = () => void child.kill('SIGKILL');
    const timer = setTimeout(kill, options.withinMs);
    process.once('exit', kill);
    const finish = (code: number) => {
      clearTimeout(timer);
      process.removeListener('exit', kill);
      resolve({ code, output });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.once('close', (code) => finish(code ?? 1));
  });
}
