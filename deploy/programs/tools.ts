/** Programs that tests and releases use, in pinned versions. Run as a program, obtains all of them that can be obtained here. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubernetes } from './kubernetes/kubernetes.ts';
import { GO, goProgram, type Program, program, runGo } from './program.ts';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** From the npm registry, beside the project's own packages. */
function npmProgram(name: string, file: string, packages: readonly string[]): Program {
  const withinMs = 15 * MINUTE_MS;
  return program({
    ...{ name, file: join('node_modules/.bin', file), withinMs, needs: { npm: 'npm' } },
    obtain: async (folder) => {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund'];
      await run('npm', ['install', ...flags, ...packages], { cwd: folder, timeout: withinMs });
    },
  });
}

/** Helm by its major version. */
export const helm = {
  3: goProgram('helm', '3.22.0', 'helm.sh/helm/v3/cmd/helm', 30 * MINUTE_MS),
  4: goProgram('helm', '4.3.1', 'helm.sh/helm/v4/cmd/helm', 30 * MINUTE_MS),
} as const;
export type HelmMajor = keyof typeof helm;

export const actionlint = goProgram(
  'actionlint',
  '1.7.12',
  'github.com/rhysd/actionlint/cmd/actionlint',
  10 * MINUTE_MS,
);

export const newman = npmProgram('newman-6.2.2', 'newman', ['newman@6.2.2']);

/** Built in a module of its own, because `go install` refuses modules with replacements. */
export const promtool = program({
  ...{ name: 'promtool-0.315.0', file: 'promtool', withinMs: 30 * MINUTE_MS, needs: GO },
  obtain: (folder) =>
    inTemporaryFolder(async (cwd) => {
      const source = 'github.com/prometheus/prometheus/cmd/promtool';
      const go = (...args: string[]) => runGo(args, { cwd, withinMs: 30 * MINUTE_MS });
      await go('mod', 'init', 'promtool');
      await go('get', `${source}@v0.315.0`);
      // Without service discovery, which makes Prometheus large and which rules don't need.
      const flags = ['-tags', 'remove_all_sd,netgo', '-ldflags', '-s -w'];
      await go('build', ...flags, '-o', join(folder, 'promtool'), source);
    }),
});

/** Connect's conformance suite. */
export const conformance = program({
  ...{ name: 'connectconformance-1.0.7', file: 'connectconformance', withinMs: 10 * MINUTE_MS, needs: GO },
  obtain: (folder) =>
    inTemporaryFolder(async (cwd) => {
      const module = 'connectrpc.com/conformance';
      const options = { cwd, env: { GOBIN: folder }, withinMs: 10 * MINUTE_MS };
      await runGo(['install', `${module}/cmd/connectconformance@v1.0.7`], options);
      const downloaded = await runGo(['mod', 'download', '-json', `${module}@v1.0.7`], options);
      const { Dir } = JSON.parse(downloaded) as { Dir: string };
      const buf = join(import.meta.dirname, '../../proto/node_modules/.bin/buf');
      await run(buf, ['build', join(Dir, 'proto'), '--output', join(folder, 'protos.binpb')], { cwd });
    }),
});
/** Its contracts, as a FileDescriptorSet. */
export const CONFORMANCE_PROTOS = join(conformance.folder, 'protos.binpb');

const JAVA_LIBRARIES = [
  'com.fasterxml.jackson.core:jackson-databind:2.21.5',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5',
  'org.openapitools:jackson-databind-nullable:0.2.11',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:3.0.0',
];

/** Generators of clients from the OpenAPI document, each from the registry of its language. */
export const clientGenerators = {
  typescript: npmProgram('openapi-ts-0.99.0', 'openapi-ts', [
    '@hey-api/openapi-ts@0.99.0',
    'typescript@5.9.3',
  ]),
  python: program({
    ...{ name: 'openapi-python-client-0.29.1', file: 'packages', withinMs: 15 * MINUTE_MS },
    needs: { python3: 'python3', pip3: 'python3-pip' },
    obtain: async (folder) => {
      const packages = ['--target', join(folder, 'packages'), 'openapi-python-client==0.29.1'];
      await run('python3', ['-m', 'pip', 'install', '--quiet', ...packages], { timeout: 15 * MINUTE_MS });
    },
  }),
  go: program({
    ...{
      name: 'oapi-codegen-2.8.2-runtime-1.6.0',
      file: 'oapi-codegen',
      withinMs: 15 * MINUTE_MS,
      needs: GO,
    },
    obtain: async (folder) => {
      const cwd = join(folder, 'module');
      mkdirSync(cwd);
      const go = (...args: string[]) =>
        runGo(args, { cwd, env: { GOBIN: folder }, withinMs: 15 * MINUTE_MS });
      await go('install', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2');
      // Vendors what generated clients import, so that tests compile without a network.
      const imports = ['github.com/oapi-codegen/runtime', 'github.com/oapi-codegen/runtime/types'];
      const uses = imports.map((path) => `import _ "${path}"`).join('\n');
      writeFileSync(join(cwd, 'main.go'), `package main\n\n${uses}\n\nfunc main() {}\n`);
      await go('mod', 'init', 'client');
      await go('get', 'github.com/oapi-codegen/runtime@v1.6.0');
      await go('mod', 'tidy');
      await go('mod', 'vendor');
      await go('build', '-mod=vendor', '-o', '/dev/null', '.');
    },
  }),
  java: program({
    ...{ name: 'openapi-generator-7.25.0', file: 'generator', withinMs: 15 * MINUTE_MS },
    needs: { javac: 'default-jdk-headless', mvn: 'maven' },
    obtain: async (folder) => {
      const copy = async (into: string, libraries: readonly string[]) => {
        const pom = join(folder, `${into}.xml`);
        writeFileSync(pom, projectWith(libraries));
        const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
        const args = ['-q', '-B', '-f', pom, goal, `-DoutputDirectory=${join(folder, into)}`];
        await run('mvn', args, { timeout: 15 * MINUTE_MS });
      };
      await copy('generator', ['org.openapitools:openapi-generator-cli:7.25.0']);
      await copy('libraries', JAVA_LIBRARIES);
    },
  }),
};
export type ClientLanguage = keyof typeof clientGenerators;

function projectWith(libraries: readonly string[]): string {
  const dependencies = libraries.map((library) => {
    const [group, artifact, version] = library.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>supplier</groupId><artifactId>client</artifactId><version>1</version>
<dependencies>${dependencies.join('\n')}</dependencies>
</project>
`;
}

async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'building-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const small = [helm[3], helm[4], promtool, actionlint, conformance, newman];
  for (const tool of [...small, ...Object.values(clientGenerators), kubernetes]) {
    const missing = tool.isObtained() ? [] : tool.missing();
    console.log(`${tool.name}${missing.length > 0 ? `: skipped, missing ${missing.join(', ')}` : ' …'}`);
    if (missing.length > 0) continue;
    await tool.obtain().catch((error: unknown) => {
      console.error(`cannot obtain ${tool.name}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    });
  }
}
