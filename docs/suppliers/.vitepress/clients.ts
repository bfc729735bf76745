import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zipSync } from 'fflate';
import openapiTypes, { astToString } from 'openapi-typescript';
import { type Operation, operations } from './operations.ts';

const CLIENTS = join(import.meta.dirname, '../clients');
const VERIFIERS = join(import.meta.dirname, '../../examples/webhook-verifier');
const DOCUMENT = new URL('../../openapi/v1.json', import.meta.url);
/** Dependencies bundled into the Node package, so that installing it downloads nothing. */
const BUNDLED = ['openapi-fetch', 'openapi-typescript-helpers'];
/** The oldest time that an archive can tell: the same files give the same bytes. */
const DATED = new Date(1980, 0, 1);
const NAMES = { node: 'supplier-submissions.tgz', python: 'supplier_submissions' } as const;

/** Writes the packages for Node and Python to `folder`. Rejects with npm's message, or where the interface cannot be read. */
export async function writeClients(folder: string): Promise<void> {
  const { version } = (JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { info: { version: string } }).info;
  mkdirSync(folder, { recursive: true });
  await writeNodePackage(folder, version);
  writePythonPackage(folder, version);
}

async function writeNodePackage(folder: string, version: string): Promise<void> {
  const staged = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    cpSync(join(CLIENTS, 'node'), staged, { recursive: true });
    cpSync(join(VERIFIERS, 'node/verify.mjs'), join(staged, 'verify.mjs'));
    writeFileSync(join(staged, 'schema.d.mts'), astToString(await openapiTypes(DOCUMENT)));
    let from = import.meta.url;
    const versions: Record<string, string> = {};
    // The second is found beside the first, whose dependency it is.
    for (const name of BUNDLED) {
      const found = packageOf(name, from);
      from = join(found, 'package.json');
      versions[name] = (JSON.parse(readFileSync(from, 'utf8')) as { version: string }).version;
      cpSync(found, join(staged, 'node_modules', name), {
        recursive: true,
        dereference: true,
        filter: (path) => !path.slice(found.length).includes('node_modules'),
      });
    }
    const manifest = {
      name: 'supplier-submissions',
      version,
      description: 'Client of the supplier submissions API.',
      type: 'module',
      exports: { '.': { types: './index.d.mts', default: './index.mjs' } },
      engines: { node: '>=20.3' },
      dependencies: versions,
      bundleDependencies: BUNDLED,
    };
    writeFileSync(join(staged, 'package.json'), JSON.stringify(manifest, undefined, 2));
    const args = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', staged];
    const [packed] = JSON.parse(
      execFileSync('npm', args, { cwd: staged, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    ) as { filename: string }[];
    if (!packed) throw new Error('npm pack produced no package');
    cpSync(join(staged, packed.filename), join(folder, NAMES.node));
  } finally {
    rmSync(staged, { recursive: true });
  }
}

/** Returns the folder of an installed package, even if it doesn't export its package.json. */
function packageOf(name: string, from: string): string {
  for (let folder = dirname(createRequire(from).resolve(name)); ; folder = dirname(folder)) {
    if (folder.endsWith(join('node_modules', name))) return folder;
    if (folder === dirname(folder)) throw new Error(`${name} is not installed: run npm start`);
  }
}

/** A wheel: an archive that pip installs, and that needs nothing to be built. */
function writePythonPackage(folder: string, version: string): void {
  const read = (path: string) => readFileSync(path, 'utf8');
  const info = `${NAMES.python}-${version}.dist-info`;
  const files: Record<string, string> = {
    [`${NAMES.python}/__init__.py`]: read(join(CLIENTS, 'python/client.py')).replace(
      '    # OPERATIONS\n',
      operations().map(pythonMethod).join('\n'),
    ),
    [`${NAMES.python}/verify.py`]: read(join(VERIFIERS, 'python/verify.py')),
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: supplier-submissions\nVersion: ${version}\nSummary: Client of the supplier submissions API.\nRequires-Python: >=3.9\nRequires-Dist: requests>=2.28\nRequires-Dist: urllib3>=1.26\n`,
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: supplier-submissions\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  const record = Object.entries(files).map(
    ([path, text]) => `${path},sha256=${digest(text)},${Buffer.byteLength(text)}`,
  );
  files[`${info}/RECORD`] = [...record, `${info}/RECORD,,`, ''].join('\n');
  const bytes = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  writeFileSync(
    join(folder, `${NAMES.python}-${version}-py3-none-any.whl`),
    zipSync(bytes, { mtime: DATED }),
  );
}

function pythonMethod({ id, summary, method, path, body }: Operation): string {
  const name = id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const byReference = method === 'GET' && inPath.length === 0 ? ['external_reference'] : [];
  const parameters = [...inPath, ...byReference, ...(body === undefined ? [] : ['body'])];
  const target = path.replaceAll(/\{(\w+)\}/g, "{quote($1, safe='')}");
  const passed = [
    `"${method}"`,
    inPath.length === 0 ? `"${path}"` : `f"${target}"`,
    ...(body === undefined ? [] : ['body']),
    ...byReference.map((query) => `${query}=${query}`),
  ];
  return `    def ${name}(self, ${parameters.join(', ')}):
        """${summary}."""
        return self._call(${passed.join(', ')})
`;
}
