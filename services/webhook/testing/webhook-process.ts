import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@supplier/lib/testing';
import { closedPort } from './receivers.ts';

export interface WebhookProcessOptions {
  readonly databaseUrl: string;
  readonly keyRingFile: string;
  /** Contains `webhook.json`. */
  readonly eventKeysDir: string;
  /** PEM file of the authority that makes receivers on the loopback network trusted. */
  readonly extraCaFile: string;
  readonly issuersFile: string;
}

/** The service in a separate process, as in production. It receives no events: there is no event bus at its URL. */
export interface WebhookProcess {
  /** Kills it immediately (-9), and resolves when it is gone. */
  kill(): Promise<void>;
}

/** Allows for a busy machine: it normally takes a second or two. */
const READY_MS = 180_000;

/** How many times other ports are tried: another program on this machine may take one before the process does. */
const MAX_STARTS = 5;

/** Starts the process and waits until it is ready. Rejects with its output when it exits instead. */
export async function startWebhookProcess(options: WebhookProcessOptions): Promise<WebhookProcess> {
  for (let start = 1; ; start += 1) {
    try {
      return await startOnFreePorts(options);
    } catch (error) {
      if (start === MAX_STARTS || !String(error).includes('EADDRINUSE')) throw error;
    }
  }
}

async function startOnFreePorts(options: WebhookProcessOptions): Promise<WebhookProcess> {
  const [http1Port, h2cPort] = [await closedPort(), await closedPort()];
  const [slowAttempts, main] = ['slow-attempts.ts', '../src/main.ts'].map((file) =>
    join(import.meta.dirname, file),
  );
  const child = spawn(process.execPath, ['--import', String(slowAttempts), String(main)], {
    // With the IPC channel, a test that dies takes the process with it.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
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
      SSS_EVENT_KEYS_DIR: options.eventKeysDir,
      SSS_ALLOWED_CIDRS: '127.0.0.0/8',
      SSS_EXTRA_CA_FILE: options.extraCaFile,
    },
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
  }
  let hasEnded = false;
  child.once('close', () => {
    hasEnded = true;
  });
  await eventually(
    'the webhook process is ready',
    () => {
      if (hasEnded) throw new Error(`it ended with ${child.exitCode}: ${said}`);
      return isReady(http1Port);
    },
    READY_MS,
  );
  return { kill: () => kill(child) };
}

async function isReady(port: number): Promise<boolean> {
  try {
    // Another program on the port may never answer.
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok;
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
