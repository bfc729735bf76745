import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isTested } from '@supplier/lib/testing/programs';
import { findGo } from '../../../deploy/programs/on-path.mjs';
import { newReference } from '../../harness/enquiries.ts';
import { readStack } from '../../harness/stack.ts';
import { supplier } from '../../harness/suppliers.ts';
import { type ClientLanguage, clientGenerators } from '../tools.ts';

interface Document {
  readonly paths: Readonly<Record<string, { readonly post: Described }>>;
}
interface Described {
  readonly requestBody: {
    readonly content: Readonly<
      Record<string, { readonly examples: Readonly<Record<string, { value: object }>> }>
    >;
  };
}

const run = promisify(execFile);
const PROGRAMS = import.meta.dirname;
const ROOT_BIN = resolve(import.meta.dirname, '../../../node_modules/.bin');
const WITHIN_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The command that runs the program of a language, after its client is generated into `work` and compiled. */
const PREPARED: Readonly<
  Record<ClientLanguage, (work: string, document: string) => Promise<readonly string[]>>
> = {
  typescript: async (work, document) => {
    const generator = clientGenerators.typescript.path;
    await start(
      [generator, '-i', document, '-o', join(work, 'generated'), '-c', '@hey-api/client-fetch'],
      work,
    );
    cpSync(join(PROGRAMS, 'program.mts'), join(work, 'program.ts'));
    const bundle = join(work, 'program.mjs');
    const esbuild = [join(ROOT_BIN, 'esbuild'), 'program.ts', '--bundle', '--platform=node', '--format=esm'];
    await start([...esbuild, `--outfile=${bundle}`], work);
    return [process.execPath, bundle];
  },
  python: async (work, document) => {
    const generator = ['python3', '-m', 'openapi_python_client', 'generate', '--path', document];
    await start([...generator, '--meta', 'none', '--output-path', join(work, 'generated')], work);
    cpSync(join(PROGRAMS, 'program.py'), join(work, 'program.py'));
    return ['python3', 'program.py'];
  },
  go: async (work, document) => {
    const generator = clientGenerators.go.folder;
    for (const name of ['go.mod', 'go.sum']) cpSync(join(generator, 'module', name), join(work, name));
    symlinkSync(join(generator, 'module', 'vendor'), join(work, 'vendor'));
    const options = ['-generate', 'types,client', '-package', 'main', '-o', join(work, 'client.go')];
    await start([clientGenerators.go.path, ...options, document], work);
    cpSync(join(PROGRAMS, 'main.go'), join(work, 'main.go'));
    await start([findGo() ?? 'go', 'build', '-o', 'program', '.'], work);
    return [join(work, 'program')];
  },
  java: async (work, document) => {
    const generator = clientGenerators.java.folder;
    const [archive = ''] = readdirSync(join(generator, 'generator'));
    const generated = join(work, 'generated');
    const options = [
      'generate',
      '-g',
      'java',
      '--library',
      'native',
      '--additional-properties',
      'useJakartaEe=true',
    ];
    const places = ['-i', document, '-o', generated];
    await start(['java', '-jar', join(generator, 'generator', archive), ...options, ...places], work);
    const libraries = join(generator, 'libraries', '*');
    const classes = join(work, 'classes');
    const sources = `${join(generated, 'src/main/java')}${delimiter}${PROGRAMS}`;
    const compile = ['javac', '-nowarn', '-cp', libraries, '-sourcepath', sources, '-d', classes];
    await start([...compile, join(PROGRAMS, 'Program.java')], work);
    return ['java', '-cp', `${classes}${delimiter}${libraries}`, 'Program'];
  },
};

async function start([program = '', ...args]: readonly string[], cwd: string, given = '') {
  const packages = clientGenerators.python.path;
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    PYTHONPATH: packages,
    PATH: `${join(packages, 'bin')}${delimiter}${process.env.PATH}`,
    GOFLAGS: '-mod=vendor',
    CGO_ENABLED: '0',
    GIVEN: given,
  };
  return await run(program, args, { cwd, env, timeout: WITHIN_MS, maxBuffer: 8 << 20 });
}

/** `it`, or `it.skip` with its reason. With CI=true it runs, and fails, without what it needs. */
function itWithGenerator(language: ClientLanguage): typeof it | typeof it.skip {
  const generator = clientGenerators[language];
  const missing = generator.missing();
  const toGet = missing.length > 0 ? missing : 'run node test/foreign/tools.ts';
  const isThere = missing.length === 0 && generator.isObtained();
  return isTested(`a client generated in ${language}`, isThere, toGet) ? it : it.skip;
}

describe.each(Object.keys(PREPARED) as ClientLanguage[])('a client generated in %s', (language) => {
  itWithGenerator(language)(
    'creates a submission with every field, reads it, and reads why one is refused',
    async () => {
      await clientGenerators[language].obtain();
      const work = join(folder, language);
      mkdirSync(work);
      const document = (await (await fetch(`${readStack().pages}/openapi.json`)).json()) as Document;
      const file = join(work, 'openapi.json');
      writeFileSync(file, JSON.stringify(document));
      const { content } = document.paths['/v1/supplier-submissions']?.post.requestBody ?? {};
      const { examples = {} } = content?.['application/json'] ?? {};
      const whole = Object.values(examples).at(-1)?.value;
      const command = await PREPARED[language](work, file);
      const given = {
        baseUrl: readStack().gateway,
        credential: supplier('alpha').credential,
        enquiry: { ...whole, external_reference: newReference() },
      };
      const answer = JSON.parse((await start(command, work, JSON.stringify(given))).stdout);
      expect(answer).toEqual({
        created: expect.stringMatching(/^[0-9a-f-]{36}$/),
        read: answer.created,
        refused: 422,
        code: 'validation_error',
      });
    },
    clientGenerators[language].withinMs,
  );
});
