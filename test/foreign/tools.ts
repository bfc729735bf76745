/**
 * Third-party programs that use the public API, in pinned versions. As a program, obtains the ones available
 * here.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GO, obtainAll, type Program, program, runGo } from '../../deploy/programs/program.ts';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** Installs a program from the npm registry, separate from the project's own packages. */
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

export const newman = npmProgram('newman-6.2.2', 'newman', ['newman@6.2.2']);

const JAVA_LIBRARIES = [
  'com.fasterxml.jackson.core:jackson-databind:2.21.5',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5',
  'org.openapitools:jackson-databind-nullable:0.2.11',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:3.0.0',
];

/** OpenAPI client generators, each from the registry of its language. */
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

if (import.meta.main) await obtainAll([newman, ...Object.values(clientGenerators)]);
