import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zipSync } from 'fflate';
import { operations } from './operations.ts';
import { SANDBOX_URL } from './snippets.ts';

const DOCS = join(import.meta.dirname, '../..');
const VERIFIERS = join(DOCS, 'examples/webhook-verifier');
/** The enquiry that the quickstart, the clients and the downloads send. */
export const EXAMPLE_ENQUIRY = join(import.meta.dirname, '../example/enquiry.json');
const FILES = [
  join(VERIFIERS, 'node/verify.mjs'),
  join(VERIFIERS, 'python/verify.py'),
  join(VERIFIERS, 'php/verify.php'),
  join(VERIFIERS, 'csharp/Verify.cs'),
  join(VERIFIERS, 'csharp/Verify.csproj'),
  join(DOCS, 'webhook-test-vectors.json'),
];
/** The oldest time that an archive can tell: the same files give the same bytes. */
const DATED = new Date(1980, 0, 1);

/** Writes what the page of downloads offers to `folder`. */
export function writeDownloads(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const files = Object.fromEntries(FILES.map((path) => [basename(path), new Uint8Array(readFileSync(path))]));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'webhook-verifiers.zip'), zipSync(files, { mtime: DATED }));
  copyFileSync(EXAMPLE_ENQUIRY, join(folder, basename(EXAMPLE_ENQUIRY)));
  writeFileSync(join(folder, 'postman-collection.json'), JSON.stringify(postmanCollection(), undefined, 2));
}

/** Every operation with its first example, as Postman's collections of version 2.1 have them. */
export function postmanCollection() {
  return {
    info: {
      name: 'Supplier submissions',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{bearerToken}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: SANDBOX_URL },
      { key: 'bearerToken', value: '' },
    ],
    item: operations().map(({ summary, description, method, target, body }) => ({
      name: summary,
      request: {
        method,
        description,
        url: `{{baseUrl}}${target}`,
        ...(body === undefined
          ? {}
          : {
              header: [{ key: 'Content-Type', value: 'application/json' }],
              body: { mode: 'raw', raw: JSON.stringify(body, undefined, 2) },
            }),
      },
    })),
  };
}
