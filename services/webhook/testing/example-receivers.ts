import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Runtime } from './on-this-machine.ts';

const FOLDER = fileURLToPath(new URL('../../../docs/examples/webhook-verifier/', import.meta.url));

/** One of the verifiers that suppliers download. */
export interface ExampleReceiver {
  readonly language: string;
  readonly needs: readonly Runtime[];
  /** The command line without its arguments; compiles into `scratch` where the language requires it. */
  readonly command: (scratch: string) => [string, ...string[]];
  /** The command line of the receiver, where it is not `command` and `serve PORT`. */
  readonly serve?: (port: number) => [string, ...string[]];
}

export const EXAMPLE_RECEIVERS: readonly ExampleReceiver[] = [
  {
    language: 'Node',
    needs: [{ command: 'node', debianPackage: 'nodejs', required: true }],
    command: () => ['node', join(FOLDER, 'node/verify.mjs')],
  },
  {
    language: 'Python',
    needs: [{ command: 'python3', debianPackage: 'python3', required: true }],
    command: () => ['python3', join(FOLDER, 'python/verify.py')],
  },
  {
    language: 'PHP',
    needs: [{ command: 'php', debianPackage: 'php-cli', required: true }],
    command: () => ['php', join(FOLDER, 'php/verify.php')],
    serve: (port) => ['php', '-S', `127.0.0.1:${port}`, join(FOLDER, 'php/verify.php')],
  },
  {
    language: 'C#',
    needs: [
      { command: 'mcs', debianPackage: 'mono-mcs libmono-system-web-extensions4.0-cil', required: true },
      { command: 'mono', debianPackage: 'mono-runtime', required: true },
    ],
    command: (scratch) => {
      const program = join(scratch, 'verify.exe');
      const source = join(FOLDER, 'csharp/Verify.cs');
      execFileSync('mcs', ['-warnaserror', '-r:System.Web.Extensions', `-out:${program}`, source]);
      return ['mono', program];
    },
  },
];
