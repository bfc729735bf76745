// Prints the breaking changes for suppliers between a commit's OpenAPI document and the committed one, and exits with 1
// if there are any.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

const OPENAPI = 'docs/openapi/v1.json';
/** Messages for errors of the compared document that never matched the API. Empty the list once the correction is on main. */
const CORRECTIONS: ReadonlySet<string> = new Set();

const [base = ''] = process.argv.slice(2);
const published = execFileSync('git', ['show', `${base}:${OPENAPI}`], {
  encoding: 'utf8',
  maxBuffer: 8 << 20,
});
const all = breakingChanges(JSON.parse(published), JSON.parse(readFileSync(OPENAPI, 'utf8')));
const changes = all.filter((change) => !CORRECTIONS.has(change));
for (const change of changes) console.log(change);
process.exitCode = changes.length === 0 ? 0 : 1;
