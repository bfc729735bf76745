import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the guides, as it is sent. */
export interface GuideFile {
  readonly type: string;
  readonly body: string | Buffer;
}

/** The built guides: what is served under each path below `/guides/`, and the scripts that stand within pages. */
export interface Guides {
  readonly files: ReadonlyMap<string, GuideFile>;
  /** As `script-src` names them. */
  readonly scriptHashes: readonly string[];
}

/** Where suppliers find this deployment. What is not set stays an example in the guides. */
export interface PublicAddresses {
  readonly sandboxUrl?: string | undefined;
  readonly productionUrl?: string | undefined;
  readonly pagesUrl?: string | undefined;
}

const SCRIPT_HASHES = 'script-hashes.json';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
  '.php': 'text/plain; charset=utf-8',
  '.cs': 'text/plain; charset=utf-8',
  '.csproj': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.zip': 'application/zip',
  '.whl': 'application/zip',
  '.tgz': 'application/gzip',
};
const ARCHIVES = new Set(['application/zip', 'application/gzip']);
/** Held in memory, so that a request reads no file: more than this is not the guides. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Reads the built guides in `folder`, with the addresses of this deployment in place of the examples. Undefined when they
 * were not built. Throws an Error that names the file when one is of an unknown type, or when they exceed 32 MiB.
 */
export function readGuides(folder: URL, addresses: PublicAddresses): Guides | undefined {
  const root = fileURLToPath(folder);
  if (!existsSync(join(root, SCRIPT_HASHES))) return undefined;
  const scriptHashes: string[] = JSON.parse(readFileSync(join(root, SCRIPT_HASHES), 'utf8'));
  const files = new Map<string, GuideFile>();
  let total = 0;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    const type = TYPES[extname(path)];
    if (!type) throw new Error(`cannot serve the guides: the type of ${path} is not known`);
    const bytes = readFileSync(join(root, path));
    total += bytes.length;
    if (total > MOST_BYTES)
      throw new Error(`cannot serve the guides: they are larger than ${MOST_BYTES} bytes`);
    const body = ARCHIVES.has(type) ? bytes : inPlace(bytes.toString('utf8'), addresses);
    files.set(path.replace(/(?:(^|\/)index)?\.html$/, '$1'), { type, body });
  }
  return { files, scriptHashes };
}

/** What the guides say where an address belongs. */
function inPlace(text: string, { sandboxUrl, productionUrl, pagesUrl }: PublicAddresses): string {
  const addresses = [
    ['https://sandbox.supplier.example', sandboxUrl],
    ['https://api.supplier.example', productionUrl],
    ['https://pages.supplier.example', pagesUrl],
  ] as const;
  return addresses.reduce(
    (changed, [example, url]) =>
      url === undefined ? changed : changed.replaceAll(example, () => withoutSlash(url)),
    text,
  );
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');
