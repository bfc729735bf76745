import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Facts } from '../progress.ts';
import type { LoadOrder, LoadReport } from './load.ts';
import type { ReceiverOrder } from './receiver.ts';

/** Where things are, by name, and who staff is. Certificates and keys are PEM. */
export interface Beginning {
  readonly api: string;
  readonly uploads: string;
  readonly staff: {
    readonly urls: Readonly<Record<'account' | 'submission' | 'webhook', string>>;
    readonly token: string;
    readonly authority: string;
    readonly certificate: string;
    readonly key: string;
  };
  /** Where webhooks are to be received, if they can be. */
  readonly receiver: ReceiverOrder | undefined;
}

/** What suppliers and staff do, in a process that reaches the Services of the cluster. */
export interface Client {
  /** Makes a supplier with an account, a credential of the sandbox and an endpoint for webhooks, as staff do. First of all. */
  begin(order: Beginning): Promise<void>;
  /** One enquiry, from its create to its Application, its webhook and a document. */
  mainJob(): Promise<Facts>;
  startLoad(order: LoadOrder): Promise<void>;
  stopLoad(): Promise<LoadReport>;
  /** Reads every lead of the loads since the last time until it is decided. Rejects when one is not found, or not decided in time. */
  nothingLost(): Promise<Facts>;
  /** Fingerprint of the certificate that is shown at an address. */
  certificateAt(host: string, port: number): Promise<string>;
}

export interface Call {
  readonly id: number;
  readonly method: keyof Client;
  readonly args: readonly unknown[];
}
export type Outcome =
  | { readonly id: number; readonly result?: unknown }
  | { readonly id: number; readonly failed: string };

/** Starts client-process.ts by a command line that ends with it. Calls reject when it ends. */
export function startClient([command, ...args]: readonly [string, ...string[]]): Client & { stop(): void } {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let calls = 0;
  createInterface(child.stdout).on('line', (line) => {
    const outcome = JSON.parse(line) as Outcome;
    waiting.get(outcome.id)?.(outcome);
    waiting.delete(outcome.id);
  });
  child.on('exit', (code) => {
    for (const [id, settle] of waiting) settle({ id, failed: `the client ended with exit code ${code}` });
  });
  const call = async <Method extends keyof Client>(
    method: Method,
    ...given: Parameters<Client[Method]>
  ): Promise<Awaited<ReturnType<Client[Method]>>> => {
    calls += 1;
    const request: Call = { id: calls, method, args: given };
    const outcome = await new Promise<Outcome>((resolve) => {
      waiting.set(request.id, resolve);
      child.stdin.write(`${JSON.stringify(request)}\n`);
    });
    if ('failed' in outcome) throw new Error(outcome.failed);
    return outcome.result as Awaited<ReturnType<Client[Method]>>;
  };
  return {
    begin: (order) => call('begin', order),
    mainJob: () => call('mainJob'),
    startLoad: (order) => call('startLoad', order),
    stopLoad: () => call('stopLoad'),
    nothingLost: () => call('nothingLost'),
    certificateAt: (host, port) => call('certificateAt', host, port),
    stop: () => void child.kill(),
  };
}
