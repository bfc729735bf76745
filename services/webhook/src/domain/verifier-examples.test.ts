import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itWith, type Runtime } from '../../testing/on-this-machine.ts';
import { publishedVectors, VECTORS_FILE } from '../../testing/published-vectors.ts';

const examples = fileURLToPath(new URL('../../../../docs/examples/webhook-verifier/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'verifier-examples-'));
afterAll(() => rmSync(scratch, { recursive: true }));

interface Example {
  readonly language: string;
  readonly needs: readonly Runtime[];
  /** The command line that runs a file of vectors; made once, compiling where the language wants it. */
  readonly command: () => [string, ...string[]];
}

const EXAMPLES: readonly Example[] = [
  {
    language: 'Node',
    needs: [{ command: 'node', debianPackage: 'nodejs', required: true }],
    command: () => ['node', join(examples, 'node/verify.mjs')],
  },
  {
    language: 'Python',
    needs: [{ command: 'python3', debianPackage: 'python3', required: true }],
    command: () => ['python3', join(examples, 'python/verify.py')],
  },
  {
    language: 'PHP',
    needs: [{ command: 'php', debianPackage: 'php-cli', required: false }],
    command: () => ['php', join(examples, 'php/verify.php')],
  },
  {
    language: 'C#',
    needs: [
      { command: 'mcs', debianPackage: 'mono-mcs libmono-system-web-extensions4.0-cil', required: false },
      { command: 'mono', debianPackage: 'mono-runtime', required: false },
    ],
    command: () => {
      const program = join(scratch, 'verify.exe');
      const source = join(examples, 'csharp/Verify.cs');
      execFileSync('mcs', ['-warnaserror', '-r:System.Web.Extensions', `-out:${program}`, source]);
      return ['mono', program];
    },
  },
];

const LIMIT_MS = 60_000;

describe.each(EXAMPLES)('the verifier in $language', ({ language, needs, command }) => {
  itWith(needs)(
    'finds every published vector to be what it says, and tells when one is not',
    () => {
      const [program, ...args] = command();
      const judge = (file: string) => spawnSync(program, [...args, 'vectors', file], { encoding: 'utf8' });
      const { vectors } = publishedVectors();
      expect(judge(fileURLToPath(VECTORS_FILE))).toMatchObject({ status: 0, stderr: '' });

      // With every verdict turned round, each vector must be found wrong: none is passed over.
      const turned = vectors.map((vector) => ({ ...vector, valid: !vector.valid }));
      const file = join(scratch, `${language.replace('#', 'sharp')}.json`);
      writeFileSync(file, JSON.stringify({ vectors: turned }));
      const { status, stderr } = judge(file);
      expect(status).toBe(1);
      expect(stderr.trim().split('\n')).toEqual(vectors.map(({ description }) => `wrong: ${description}`));
    },
    LIMIT_MS,
  );
});
