import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zipSync } from 'fflate';
import { EXAMPLE_ENQUIRY } from './example-enquiry.ts';
import { postmanCollection } from './postman.ts';

const DOCS = join(import.meta.dirname, '../..');
const VERIFIERS = join(DOCS, 'examples/webhook-verifier');
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
