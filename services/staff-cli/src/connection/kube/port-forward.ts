import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailure, exitCodes } from '../../exit-codes.ts';
import type { ServiceName } from '../../services.ts';
import { explainKubectl } from './explain-kubectl.ts';
import { type KubeTarget, kubeService, RPC_PORT } from './kube-target.ts';

/** A local port that kubectl forwards to a service while it runs. */
export interface PortForward {
  readonly port: number;
  /** Returns kubectl's last message about a connection that just failed. */
  lastError(): Promise<string | undefined>;
  /** Ends kubectl. */
  close(): void;
}

const FORWARDING = /^Forwarding from 127\.0\.0\.1:(\d+) -> /m;
/** Characters kept of kubectl's output: enough for its last lines. */
const KEPT = 4_096;
const ERROR_WAIT_MS = 300;

/**
 * Starts kubectl forwarding a port of its choice, on this machine only, to a service of a cluster. Resolves once it
 * forwards. Rejects with a CommandFailure when it can't, has not started within `timeoutMs`, or `signal` aborts.
 * kubectl has been ended by then.
 */
export async function forwardPort(
  target: KubeTarget,
  service: ServiceName,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PortForward> {
  const name = kubeService(target, service);
  const args = [
    `--context=${target.context}`,
    `--namespace=${target.namespace}`,
    'port-forward',
    '--address=127.0.0.1',
    `svc/${name}`,
    `:${RPC_PORT}`,
  ];
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const close = () => {
    child.kill();
    // Don't wait for kubectl to exit.
    child.unref();
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  // Also when the command exits early because the reader of its output is gone.
  process.once('exit', close);
  const errorOutput = tail(child);
  try {
    const port = await portOf(child, timeoutMs, signal, () => explainKubectl(errorOutput(), target, name));
    return {
      port,
      async lastError() {
        // A connection ends before kubectl reports why.
        for (let waited = 0; errorOutput() === '' && waited < ERROR_WAIT_MS; waited += 20) await delay(20);
        return errorOutput().trim().split('\n').at(-1) || undefined;
      },
      close() {
        process.off('exit', close);
        close();
      },
    };
  } catch (error) {
    process.off('exit', close);
    close();
    throw error;
  }
}

/** Returns a function that reads the end of the process's standard error. */
function tail(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT);
  });
  return () => kept;
}

function portOf(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal,
  explained: () => CommandFailure,
): Promise<number> {
  const ended = new AbortController();
  const opened = new Promise<number>((resolve, reject) => {
    const tooLate = () => reject(late(timeoutMs, explained()));
    const timer = setTimeout(tooLate, timeoutMs);
    const interrupt = () => reject(new CommandFailure(exitCodes.interrupted, 'interrupted'));
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { signal: ended.signal });
    ended.signal.addEventListener('abort', () => clearTimeout(timer));
    let output = '';
    // Keep reading until the process ends: kubectl blocks when its output is not read.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT);
      const port = FORWARDING.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(error)));
    child.once('close', () => reject(explained()));
  });
  return opened.finally(() => ended.abort());
}

const late = (timeoutMs: number, { details }: CommandFailure) =>
  new CommandFailure(
    exitCodes.unavailable,
    `kubectl port-forward did not start within ${timeoutMs / 1_000} s`,
    details,
  );

const notStarted = (error: NodeJS.ErrnoException) =>
  new CommandFailure(
    exitCodes.usage,
    error.code === 'ENOENT'
      ? 'kubectl is not installed, or not on the PATH: --kube requires it'
      : `cannot start kubectl: ${error.message}`,
  );
