import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const FLAGS: readonly string[] = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=1024'];

/** Starts a process in this folder with IPC that clones large structures instead of writing them as JSON. */
export function startSideProcess(file: string, args: readonly string[] = [], flags = FLAGS): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: [...flags],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Sends an order, if there is one, and waits for the response. Rejects when the process ends or times out. */
export async function ask<Answer>(
  child: ChildProcess,
  order: object | undefined,
  withinMs: number,
): Promise<Answer> {
  const ended = new AbortController();
  const end = () => ended.abort(new Error('a benchmark process exited unexpectedly'));
  const late = () => ended.abort(new Error(`a benchmark process sent nothing for ${withinMs} ms`));
  const timer = setTimeout(late, withinMs);
  child.once('exit', end);
  try {
    const answer = once(child, 'message', { signal: ended.signal });
    if (order) child.send(order);
    const [message] = await answer;
    return message;
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    clearTimeout(timer);
    child.removeListener('exit', end);
  }
}
