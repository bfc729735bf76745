// Fills the parts of migrations that come from `services/lib`; with --check, compares them. Started by bootstrap.mjs.
//
// The text between the comments `-- begin FILE` and `-- end FILE` is that of the file. A published migration has no such
// comments, so it never changes.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Tables that `services/lib` uses. A service that has one of a file's tables has all of them, made in the same way. */
const SHARED = new Map(
  [
    'services/lib/events/outbox/outbox.sql',
    'services/lib/events/event-bus/failed-events.sql',
    'services/lib/data/key-rotation/keys-in-use.sql',
    'services/lib/governance/audit/audit.sql',
    'services/lib/governance/audit/audit-verification.sql',
    'services/lib/governance/approvals/approvals.sql',
    'services/lib/rpc/idempotency/idempotency.sql',
  ].map((path) => [basename(path), readFileSync(path, 'utf8')]),
);
const PART = /^(-- begin (\S+\.sql)\n)[\s\S]*?^(-- end \2)$/gm;

const isCheck = process.argv.includes('--check');
for (const path of globSync('services/*/prisma/migrations/*/migration.sql')) {
  const committed = readFileSync(path, 'utf8');
  const filled = committed.replace(PART, (_, begin: string, file: string, end: string) => {
    const shared = SHARED.get(file);
    if (shared === undefined) throw new Error(`${path} names ${file}, which is not one of the shared files`);
    return begin + shared + end;
  });
  if (filled === committed) continue;
  if (isCheck) {
    console.log(`stale: ${path}; run \`npm run generate\` and commit the changes`);
    process.exitCode = 1;
  } else writeFileSync(path, filled);
}
