import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type Program, PYTHON } from '@supplier/lib/testing';

export const FOLDER = fileURLToPath(new URL('../../../docs/examples/webhook-verifier/', import.meta.url));

/** A verifier that suppliers can download. */
export interface ExampleReceiver {
  readonly language: string;
  readonly needs: readonly Program[];
  /** Whether it can also send, to test a receiver. */
  readonly sends?: true;
  /** The command line without its arguments; compiles into `scratch`, once, if the language requires it. */
  readonly command: (scratch: string) => [string, ...string[]];
  /** The command line of the receiver, if it is not `command` and `serve PORT`. */
  readonly serve?: (port: number) => [string, ...string[]];
}

export const EXAMPLE_RECEIVERS: readonly ExampleReceiver[] = [
  {
    language: 'Node',
    needs: [{ command: 'node', debianPackage: 'nodejs' }],
    sends: true,
    command: () => ['node', join(FOLDER, 'node/verify.mjs')],
  },
  {
    language: 'Python',
    needs: [PYTHON],
    sends: true,
    command: () => ['python3', join(FOLDER, 'python/verify.py')],
  },
  {
    language: 'PHP',
    needs: [{ command: 'php', debianPackage: 'php-cli' }],
    command: () => ['php', join(FOLDER, 'php/verify.php')],
    serve: (port) => ['php', '-S', `127.0.0.1:${port}`, join(FOLDER, 'php/verify.php')],
  },
  {
    language: 'C#',
    needs: [
      { command: 'mcs', debianPackage: 'mono-mcs' },
      { command: 'mono', debianPackage: 'mono-runtime' },
      {
        command: '/usr/lib/mono/gac/System.Web.Extensions',
        debianPackage: 'libmono-system-web-extensions4.0-cil',
      },
    ],
    command: (scratch) => {
      const program = join(scratch, 'verify.exe');
      const source = join(FOLDER, 'csharp/Verify.cs');
      if (existsSync(program)) return ['mono', program];
      execFileSync('mcs', ['-warnaserror', '-r:System.Web.Extensions', `-out:${program}`, source]);
      return ['mono', program];
    },
  },
];

export interface Receiver {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Runs `act` while the receiver serves, with these values in WEBHOOK_SECRETS; unset for undefined. */
export async function whileServing<T>(
  { example, secrets, scratch }: { example: ExampleReceiver; secrets: string | undefined; scratch: string },
  act: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  const { command, serve } = example;
  const port = await freePort();
  const [program, ...args] = serve?.(port) ?? [...command(scratch), 'serve', String(port)];
  const { WEBHOOK_SECRETS: _unset, ...env } = process.env;
  const receiver = spawn(program, args, {
    stdio: 'ignore',
    env: { ...env, ...(secrets === undefined ? {} : { WEBHOOK_SECRETS: secrets }) },
  });
  const ended = once(receiver, 'exit');
  try {
    return await act({ port, process: receiver });
  } finally {
    receiver.kill('SIGKILL');
    await ended;
  }
}
