// Prints what the committed OpenAPI document breaks for suppliers, compared with that of a commit, and exits with 1 if anything.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

const OPENAPI = 'docs/openapi/v1.json';
/** What the document once said and the API never did. An entry may go once the main branch no longer says it. */
const CORRECTIONS = 'docs/openapi/corrections.json';

const [base = ''] = process.argv.slice(2);
const published = execFileSync('git', ['show', `${base}:${OPENAPI}`], {
  encoding: 'utf8',
  maxBuffer: 8 << 20,
});
const corrections: { changes: string[] }[] = JSON.parse(readFileSync(CORRECTIONS, 'utf8'));
const corrected = new Set(corrections.flatMap(({ changes }) => changes));
const changes = breakingChanges(JSON.parse(published), JSON.parse(readFileSync(OPENAPI, 'utf8')));
for (const change of changes) if (!corrected.has(change)) console.log(change);
process.exitCode = changes.every((change) => corrected.has(change)) ? 0 : 1;
