import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

// Run as a program with the paths of the old document, the new one, and the list of corrections: prints what breaks
// besides them, and ends with 1 if anything does.
const [before = '', after = '', corrections = ''] = process.argv.slice(2);
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const corrected = new Set(read(corrections).flatMap(({ changes }: { changes: string[] }) => changes));
const changes = breakingChanges(read(before), read(after)).filter((change) => !corrected.has(change));
for (const change of changes) console.log(change);
process.exitCode = changes.length === 0 ? 0 : 1;
