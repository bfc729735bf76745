// Prints the breaking changes for suppliers between a commit's OpenAPI document and the committed one, and exits with 1
// if there are any.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

const OPENAPI = 'docs/openapi/v1.json';
/**
 * Errors in earlier documents that never matched the API. An entry may be removed once the main branch no longer has
 * the error.
 */
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
