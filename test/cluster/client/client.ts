import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Facts } from '../progress.ts';
import type { LoadOrder, LoadReport } from './load.ts';
import type { ReceiverOrder } from './receiver.ts';

/** Addresses and staff credentials. Certificates and keys are PEM. */
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
  readonly receiver: ReceiverOrder | undefined;
}

/** Suppliers and staff, in a process that reaches the Services of the cluster. */
export interface Client {
  /** Creates a supplier: an account, a sandbox credential and a webhook endpoint. Must be called first. */
  begin(order: Beginning): Promise<void>;
  /** Runs one enquiry, from its create to its Application, its webhook and a document. */
  mainJob(): Promise<Facts>;
  startLoad(order: LoadOrder): Promise<void>;
  stopLoad(): Promise<LoadReport>;
  /**
   * Reads every submission created since the last call until it is decided; rejects if one isn't found or decided in time.
   */
  nothingLost(): Promise<Facts>;
  /** Returns the fingerprint of the certificate presented at an address. */
  certificateAt(host: string, port: number): Promise<string>;
}

export interface Call {
  readonly id: number;
  readonly method: keyof Client;
  readonly args: readonly unknown[];
}
export interface Outcome {
  readonly id: number;
  readonly result?: unknown;
  readonly failed?: string;
}
const METHODS = ['begin', 'mainJob', 'startLoad', 'stopLoad', 'nothingLost', 'certificateAt'] as const;

/** Starts client-process.ts with a command line that ends with its path. Calls reject when it exits. */
export function startClient([command, ...args]: readonly [string, ...string[]]): Client {
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
  const call = async (method: keyof Client, given: readonly unknown[]): Promise<unknown> => {
    calls += 1;
    const request: Call = { id: calls, method, args: given };
    const outcome = await new Promise<Outcome>((resolve) => {
      waiting.set(request.id, resolve);
      child.stdin.write(`${JSON.stringify(request)}\n`);
    });
    if (outcome.failed !== undefined) throw new Error(outcome.failed);
    return outcome.result;
  };
  const methods = METHODS.map((method) => [method, (...given: unknown[]) => call(method, given)]);
  return Object.fromEntries(methods) as Client;
}
