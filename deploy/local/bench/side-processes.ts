import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Certificates } from '../identity/certificates.ts';

/** What the receiver has seen since it was started. */
export interface ReceiverReport {
  readonly requests: number;
  readonly distinct: number;
  /** Of the requests whose signature was checked. */
  readonly genuine: number;
  readonly forged: number;
  /** First arrivals since the last report, if they are noted: event id and Unix time in milliseconds. */
  readonly arrivals: readonly (readonly [string, number])[];
}

/** The measuring receiver, in a process of its own. */
export interface BenchReceiver {
  readonly url: string;
  /** Tells it the signing secrets, by path. */
  trust(secrets: Readonly<Record<string, string>>): void;
  noteArrivals(note: boolean): void;
  report(): Promise<ReceiverReport>;
  stop(): void;
}

/** Starts a process of this folder that talks over IPC, with large structures cloned instead of written as JSON. */
export function startSideProcess(file: string, args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=1024'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Waits for the next message of a side process. Rejects when it ends instead. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const end = () => ended.abort(new Error('a process of the benchmark ended by itself'));
  child.once('exit', end);
  try {
    const [message] = await once(child, 'message', { signal: ended.signal });
    return message;
  } finally {
    child.removeListener('exit', end);
  }
}

export async function startReceiver({ certificate, key }: Certificates): Promise<BenchReceiver> {
  const child = startSideProcess('receiver.ts', [certificate, key]);
  const { port } = await nextMessage<{ port: number }>(child);
  return {
    url: `https://127.0.0.1:${port}`,
    trust: (secrets) => void child.send({ secrets }),
    noteArrivals: (noteArrivals) => void child.send({ noteArrivals }),
    async report() {
      const answer = nextMessage<ReceiverReport>(child);
      child.send({ report: true });
      return answer;
    },
    stop: () => void child.kill(),
  };
}
