import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GatewayConfig } from '../../config.ts';
import { StaticFile } from '../static-file.ts';

/** Values of this deployment that the site shows. An unset address remains an example. */
export type Deployment = Pick<GatewayConfig, 'screeningProvider'> &
  Partial<Pick<GatewayConfig, 'sandboxUrl' | 'productionUrl' | 'pagesUrl' | 'support'>>;

/** The built site: a file for each path without its leading slash, and the hashes of inline scripts. */
export interface Site {
  readonly files: ReadonlyMap<string, StaticFile>;
  /** In `script-src` format. */
  readonly scriptHashes: readonly string[];
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
/** Maximum total size. The site is held in memory, so that requests read no files; anything larger is not the site. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads the built site in `folder` and replaces the examples by this deployment's values. Returns undefined when the
 * site was not built. Throws an Error that names the file for an unknown type, and an Error when the total exceeds 32
 * MiB.
 */
export function readSite(folder: URL, deployment: Deployment): Site | undefined {
  const root = fileURLToPath(folder);
  if (!existsSync(join(root, SCRIPT_HASHES))) return undefined;
  const scriptHashes: string[] = JSON.parse(readFileSync(join(root, SCRIPT_HASHES), 'utf8'));
  const files = new Map<string, StaticFile>();
  let total = 0;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (path === SCRIPT_HASHES) continue;
    const type = TYPES[extname(path)];
    if (!type) throw new Error(`cannot serve the guides: the type of ${path} is not known`);
    const bytes = readFileSync(join(root, path));
    total += bytes.length;
    if (total > MAX_BYTES)
      throw new Error(`cannot serve the guides: they are larger than ${MAX_BYTES} bytes`);
    const body = ARCHIVES.has(type) ? bytes : inPlace(bytes.toString('utf8'), path, deployment);
    files.set(path.replace(/(?:(^|\/)index)?\.html$/, '$1'), new StaticFile(type, body));
  }
  return { files, scriptHashes };
}

/** Replaces the examples in a file by this deployment's values. */
function inPlace(text: string, path: string, deployment: Deployment): string {
  const { sandboxUrl, productionUrl, pagesUrl, support, screeningProvider } = deployment;
  const written = path.endsWith('.js') ? withinScript : (html: string) => html;
  const replacements = [
    ['https://sandbox.supplier.example', sandboxUrl && withoutSlash(sandboxUrl)],
    ['https://api.supplier.example', productionUrl && withoutSlash(productionUrl)],
    ['https://pages.supplier.example', pagesUrl && withoutSlash(pagesUrl)],
    ['SUPPORT_CONTACT', written(contactHtml(support))],
    ['screening_provider', written(escaped(screeningProvider))],
  ] as const;
  return replacements.reduce(
    (changed, [example, fact]) => (fact === undefined ? changed : changed.replaceAll(example, () => fact)),
    text,
  );
}

function contactHtml(support: string | undefined): string {
  if (support === undefined)
    return 'The operator of this service has not set a support address. Contact whoever opened your account.';
  const isPage = support.includes('://');
  const href = escaped(isPage ? support : `mailto:${support}`);
  const link = `<a href="${href}">${escaped(support)}</a>`;
  return isPage ? `Contact us at ${link}.` : `Email us at ${link}.`;
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Escapes HTML for use inside any JavaScript literal. */
const withinScript = (html: string) =>
  html.replace(
    /[\\"'`$\n\r\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
