import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually, freePort } from '@supplier/lib/testing';

export interface AccountProcessOptions {
  readonly databaseUrl: string;
  readonly issuersFile: string;
}

/** The real service in a separate process, without a NATS server. */
export interface AccountProcess {
  /** HTTP/1.1 address. */
  readonly baseUrl: string;
  /** Sends SIGTERM, as an orchestrator does. Resolves to the exit code, or the signal that ended the process. */
  stop(): Promise<number | string>;
}

/** Starts the process and waits until it is ready. */
export async function startAccountProcess(options: AccountProcessOptions): Promise<AccountProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    // The IPC channel ends the child when the test process crashes.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SSS_DEPLOYMENT: 'local',
      SSS_RPC_HTTP1_PORT: String(port),
      SSS_RPC_H2C_PORT: String(await freePort()),
      SSS_DATABASE_URL: options.databaseUrl,
      SSS_NATS_URL: 'nats://127.0.0.1:9',
      SSS_SERVICE_TOKEN_DIR: '/nowhere',
      SSS_ISSUERS_FILE: options.issuersFile,
      SSS_KEY_RING_FILE: '/nowhere',
    },
  });
  const ended = once(child, 'exit');
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually(
    'the account process is ready',
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${complaint}`);
      const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
      return answer?.ok;
    },
    30_000,
  );
  return {
    baseUrl,
    async stop() {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      return code ?? signal;
    },
  };
}
