import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itWith } from '@supplier/lib/testing';
import { EXAMPLE_RECEIVERS } from '../../testing/example-receivers.ts';
import { publishedVectors, VECTORS_FILE } from '../../testing/published-vectors.ts';

const scratch = mkdtempSync(join(tmpdir(), 'verifier-examples-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const LIMIT_MS = 60_000;

describe.each(EXAMPLE_RECEIVERS)('verifier in $language', ({ language, needs, command }) => {
  itWith(...needs)(
    'judges every published vector correctly, and reports each wrong verdict',
    () => {
      const [program, ...args] = command(scratch);
      const judge = (file: string) => spawnSync(program, [...args, 'vectors', file], { encoding: 'utf8' });
      const { vectors } = publishedVectors();
      expect(judge(fileURLToPath(VECTORS_FILE))).toMatchObject({ status: 0, stderr: '' });

      // With every verdict reversed, each vector must be reported, which shows that none is skipped.
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
