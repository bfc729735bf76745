import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

// Run as a program with the paths of the old and the new document: prints what breaks, and ends with 1 if anything does.
const [before = '', after = ''] = process.argv.slice(2);
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const changes = breakingChanges(read(before), read(after));
for (const change of changes) console.log(change);
process.exitCode = changes.length === 0 ? 0 : 1;
