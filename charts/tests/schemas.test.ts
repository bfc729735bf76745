import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ALL_OVER, KIND, PRODUCTION } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { packageOf, validate } from './kubernetes-schemas.ts';
import type { KubernetesObject } from './objects.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const TYPE_CHECK_MS = 300_000;

describeWithHelm('the schemas of Kubernetes', 4, (helm) => {
  const examples = async () =>
    (await Promise.all([KIND, PRODUCTION, ALL_OVER].map((values) => helm.render(values)))).flat();

  it('accept every object: required fields exist and have the right type and format', async () => {
    const objects = await examples();
    expect(objects.length).toBeGreaterThan(150);
    for (const object of objects) await validate(object);
  });

  it(
    'contain every field of every object, because Kubernetes would silently drop a mistyped one',
    async () => {
      expect(await unknownFields(await examples())).toBe('');
      const mistyped = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', lables: {} } };
      expect(await unknownFields([mistyped])).toMatch(/lables.* does not exist/);
    },
    TYPE_CHECK_MS,
  );
});

/** Returns the compiler's output for the objects, each written as a literal of its type; empty if valid. */
async function unknownFields(objects: readonly KubernetesObject[]): Promise<string> {
  // Next to the packages, so that their names resolve.
  const generated = join(ROOT, 'charts', 'tests', 'node_modules', '.rendered');
  mkdirSync(generated, { recursive: true });
  const folder = mkdtempSync(join(generated, 'objects-'));
  const source = objects.map(
    (object, index) =>
      `export const o${index}: import('${packageOf(object)}').I${object.kind} = ${JSON.stringify(object)};`,
  );
  try {
    writeFileSync(join(folder, 'rendered.ts'), source.join('\n'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          skipLibCheck: true,
          module: 'nodenext',
          target: 'es2024',
          types: [],
        },
        files: ['rendered.ts'],
      }),
    );
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    return await run(tsc, ['-p', folder, '--pretty', 'false'], {
      timeout: TYPE_CHECK_MS,
      maxBuffer: 8 << 20,
    }).then(
      () => '',
      (error: { stdout?: string; message: string }) => error.stdout || error.message,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
