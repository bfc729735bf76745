import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@supplier/lib/testing';
import { closedPort } from './receivers.ts';

export interface WebhookProcessOptions {
  readonly databaseUrl: string;
  readonly keyRingFile: string;
  /** PEM file of the authority that receivers on the loopback network are trusted by. */
  readonly extraCaFile: string;
  readonly issuersFile: string;
}

/** The service in a process of its own, as in production. It receives no events: there is no event bus at its URL. */
export interface WebhookProcess {
  /** Ends it at once (-9), and resolves when it is gone. */
  kill(): Promise<void>;
}

/** For a machine that is busy: it takes a second or two. */
const READY_MS = 180_000;

/** Starts the process and waits until it is ready. */
export async function startWebhookProcess(options: WebhookProcessOptions): Promise<WebhookProcess> {
  const [http1Port, h2cPort] = [await closedPort(), await closedPort()];
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    // The channel: a test that dies takes the process with it.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SSS_DEPLOYMENT: 'local',
      SSS_RPC_HTTP1_PORT: String(http1Port),
      SSS_RPC_H2C_PORT: String(h2cPort),
      SSS_DATABASE_URL: options.databaseUrl,
      SSS_NATS_URL: 'nats://127.0.0.1:9',
      SSS_ACCOUNT_URL: 'http://127.0.0.1:9',
      SSS_SUBMISSION_URL: 'http://127.0.0.1:9',
      SSS_SERVICE_TOKEN_DIR: '/nowhere',
      SSS_ISSUERS_FILE: options.issuersFile,
      SSS_KEY_RING_FILE: options.keyRingFile,
      SSS_ALLOWED_CIDRS: '127.0.0.0/8',
      SSS_EXTRA_CA_FILE: options.extraCaFile,
    },
  });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  await eventually(
    'the webhook process is ready',
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${complaint}`);
      return isReady(http1Port);
    },
    READY_MS,
  );
  return { kill: () => kill(child) };
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
