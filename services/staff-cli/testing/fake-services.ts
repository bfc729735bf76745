import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { UnsecuredJWT } from 'jose';
import { CommandFailure } from '../src/exit-codes.ts';
import { buildProgram } from '../src/program.ts';
import { serviceNames } from '../src/services.ts';
import type { Runtime } from '../src/session.ts';
import { testRuntime } from './test-runtime.ts';

/** The result of a command, and its output. */
export interface RunResult {
  readonly code: number;
  /** The standard output. */
  readonly stdout: string;
  /** The standard error, including the message of a failure. */
  readonly stderr: string;
}

/** The user's terminal and settings. */
export interface Sitting {
  /** Answers to questions. Present when the user is at a terminal. */
  readonly answers?: string;
  /** Width of the output's terminal, in columns. */
  readonly width?: number;
  readonly settings?: Partial<Runtime['settings']>;
  readonly signal?: AbortSignal;
}

/** A user of the command line, and fake services: all five at one address, in the context `played`. */
export interface FakeServices {
  /** The folder of the user's configuration. */
  readonly folder: string;
  /** Calls received, in order, with their authorization. */
  readonly received: { readonly rpc: string; readonly authorization: string }[];
  /** Runs a command without a terminal. Waiting takes no time. */
  run(...args: string[]): Promise<RunResult>;
  runAs(sitting: Sitting, ...args: string[]): Promise<RunResult>;
  close(): Promise<void>;
}

/** Returns an unsigned token for the subject. The command line does not verify it. */
export const tokenOf = (subject: string): string =>
  new UnsecuredJWT({ roles: ['staff:admin'] }).setSubject(subject).encode();

/** Starts services with these routes on a free port. */
export async function startFakeServices(routes: (router: ConnectRouter) => void): Promise<FakeServices> {
  const folder = mkdtempSync(join(tmpdir(), 'sss-'));
  const received: FakeServices['received'] = [];
  const adapter = connectNodeAdapter({
    routes,
    interceptors: [
      (next) => (request) => {
        received.push({
          rpc: request.method.name,
          authorization: request.header.get('authorization') ?? '',
        });
        return next(request);
      },
    ],
  });
  const server = createServer(adapter);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const services = Object.fromEntries(serviceNames.map((name) => [name, `http://127.0.0.1:${port}`]));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ contexts: { played: { services } } }));

  async function runAs({ answers, width, settings, signal }: Sitting, ...args: string[]): Promise<RunResult> {
    const usual = { context: 'played', token: tokenOf('sam'), folder };
    const { runtime, stdout, stderr } = testRuntime({ ...usual, ...settings });
    const { terminal } = runtime;
    let now = runtime.now().getTime();
    const program = buildProgram({
      ...runtime,
      ...(signal && { signal }),
      terminal: {
        ...terminal,
        isTerminal: width !== undefined,
        width: width ?? terminal.width,
        noteWidth: width ?? terminal.noteWidth,
        interactive: answers !== undefined,
        ask: async (question) => {
          stderr.push(question);
          return answers ?? '';
        },
      },
      now: () => {
        // A millisecond later each time, so that a command that reads the clock again gets another time.
        now += 1;
        return new Date(now);
      },
      sleep: async (ms) => {
        now += ms;
      },
    });
    let code = 0;
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      code = error.exitCode;
      stderr.push(error.message, ...error.details);
    }
    return { code, stdout: stdout.join(''), stderr: stderr.join('\n') };
  }

  return {
    folder,
    received,
    run: (...args) => runAs({}, ...args),
    runAs,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
