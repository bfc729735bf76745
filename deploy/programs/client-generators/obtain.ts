/**
 * What makes clients of the OpenAPI document, each from its own language's registry, in pinned versions. As a program:
 * obtains what is not there yet.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areThere, folderOf, obtainedOnce } from '../obtained-once.ts';
import { findOnPath, requireGo } from '../on-path.ts';

const run = promisify(execFile);

/** A Go compiler that has compiled nothing yet takes minutes, and longer while others work. */
export const OBTAIN_MS = 900_000;

interface Generator {
  /** With its version. */
  readonly name: string;
  /** Commands without which it can neither be obtained nor used, with the packages of Debian that bring them. */
  readonly needs: Readonly<Record<string, string>>;
  obtain(folder: string): Promise<void>;
}

const HEY_API = '0.99.0';
const OPENAPI_PYTHON_CLIENT = '0.29.1';
const OAPI_CODEGEN = '2.8.2';
const OAPI_RUNTIME = '1.6.0';
const OPENAPI_GENERATOR = '7.25.0';
/** What its Java clients are compiled with. */
const JAVA_LIBRARIES = [
  'com.fasterxml.jackson.core:jackson-databind:2.21.5',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5',
  'org.openapitools:jackson-databind-nullable:0.2.11',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:3.0.0',
];

export const GENERATORS = {
  typescript: {
    name: `openapi-ts-${HEY_API}`,
    needs: { npm: 'npm' },
    obtain: async (folder) => {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const packages = [`@hey-api/openapi-ts@${HEY_API}`, 'typescript@5.9.3'];
      const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund'];
      await run('npm', ['install', ...flags, ...packages], { cwd: folder, timeout: OBTAIN_MS });
    },
  },
  python: {
    name: `openapi-python-client-${OPENAPI_PYTHON_CLIENT}`,
    needs: { python3: 'python3', pip3: 'python3-pip' },
    obtain: async (folder) => {
      const wanted = `openapi-python-client==${OPENAPI_PYTHON_CLIENT}`;
      const args = ['-m', 'pip', 'install', '--quiet', '--target', join(folder, 'packages'), wanted];
      await run('python3', args, { timeout: OBTAIN_MS });
    },
  },
  go: {
    name: `oapi-codegen-${OAPI_CODEGEN}-runtime-${OAPI_RUNTIME}`,
    needs: { go: 'golang-go' },
    obtain: async (folder) => {
      const module = join(folder, 'module');
      mkdirSync(module);
      const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
      const go = (...args: string[]) => run(requireGo(), args, { cwd: module, env, timeout: OBTAIN_MS });
      await go('install', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN}`);
      // The libraries of generated clients are kept beside it, so that a test compiles without a network.
      const imports = ['github.com/oapi-codegen/runtime', 'github.com/oapi-codegen/runtime/types'];
      const uses = imports.map((path) => `import _ "${path}"`).join('\n');
      writeFileSync(join(module, 'main.go'), `package main\n\n${uses}\n\nfunc main() {}\n`);
      await go('mod', 'init', 'client');
      await go('get', `github.com/oapi-codegen/runtime@v${OAPI_RUNTIME}`);
      await go('mod', 'tidy');
      await go('mod', 'vendor');
      await run(requireGo(), ['build', '-o', '/dev/null', '.'], {
        cwd: module,
        env: { ...process.env, GOFLAGS: '-mod=vendor', CGO_ENABLED: '0' },
        timeout: OBTAIN_MS,
      });
    },
  },
  java: {
    name: `openapi-generator-${OPENAPI_GENERATOR}`,
    needs: { javac: 'default-jdk-headless', mvn: 'maven' },
    obtain: async (folder) => {
      const copy = async (into: string, libraries: readonly string[]) => {
        const pom = join(folder, `${into}.xml`);
        writeFileSync(pom, projectWith(libraries));
        const target = `-DoutputDirectory=${join(folder, into)}`;
        const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
        await run('mvn', ['-q', '-B', '-f', pom, goal, target], { timeout: OBTAIN_MS });
      };
      // One archive with all that it needs.
      await copy('generator', [`org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`]);
      await copy('libraries', JAVA_LIBRARIES);
    },
  },
} satisfies Readonly<Record<string, Generator>>;

export type ClientLanguage = keyof typeof GENERATORS;

export const folderOfGenerator = (language: ClientLanguage): string => folderOf(GENERATORS[language]);

/** What is missing before the generator can be obtained and used, as packages of Debian; empty when nothing is. */
export function missingFor(language: ClientLanguage): string[] {
  return Object.entries(GENERATORS[language].needs)
    .filter(([command]) => !findOnPath(command, ['/usr/local/go/bin']))
    .map(([, debianPackage]) => debianPackage);
}

export const isObtained = (language: ClientLanguage): boolean => areThere(GENERATORS[language]);

/** Obtains a generator unless it is there; of several that ask, one does it. */
export async function obtainGenerator(language: ClientLanguage): Promise<string> {
  return await obtainedOnce({ ...GENERATORS[language], withinMs: OBTAIN_MS });
}

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

if (import.meta.main) {
  for (const language of Object.keys(GENERATORS) as ClientLanguage[]) {
    console.log(`client generator ${GENERATORS[language].name} …`);
    try {
      await obtainGenerator(language);
    } catch (error) {
      // One that cannot be had must not keep the others away.
      console.error(`could not be obtained: ${GENERATORS[language].name}: ${error}`);
      process.exitCode = 1;
    }
  }
}
