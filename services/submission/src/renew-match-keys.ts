/**
 * Command: recomputes the match keys of stored submissions with the rule of this release and its settings. See
 * `--help`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { KeyRing } from '@supplier/lib/data/crypto';
import { withCommandPool } from '@supplier/lib/data/postgres';
import { FLAG, print, runCommand } from '@supplier/lib/runtime/command';
import { readCommandEnvironment, text, urlOf } from '@supplier/lib/runtime/config';
import type { Logger } from '@supplier/lib/runtime/log';
import { excludedValues } from './model/excluded-values.ts';
import { matchRule } from './model/match-keys.ts';
import {
  countByRule,
  type RenewedTable,
  type RuleCount,
  renewedTables,
} from './store/renewed-match-keys.sql.ts';

const USAGE = `usage: renew-match-keys [--status] [--json]
  Renews the match keys that don't follow the current rule: this release's rule with SSS_IGNORED_MATCH_VALUES, and the primary
  key of SSS_KEY_RING_FILE. Works in the database of SSS_DATABASE_URL while the service runs. Run it after an update whose
  notes require it, and after changing SSS_IGNORED_MATCH_VALUES, when every replica has both. An interrupted run continues
  where it stopped, and concurrent runs share the work. SSS_DATABASE_URL must have the migrating role, because the
  service's role may not rewrite everything.
  --status  only counts the rows that follow the current rule, and those that don't
  --json    prints the result as one line of JSON
  Exits with 1 unless all rows follow the current rule.`;

/** Rows that are locked during a pass are tried again in the next. */
const MAX_PASSES = 20;
const BETWEEN_PASSES_MS = 500;
const PROGRESS_MS = 5_000;
const MAX_FAILURES_LOGGED = 20;

const NAME = 'submission-renew-match-keys';

runCommand(NAME, { usage: USAGE, flags: { status: FLAG, json: FLAG } }, async ({ status, json }, log) => {
  const env = readCommandEnvironment({
    SSS_DATABASE_URL: urlOf(['postgres:', 'postgresql:']),
    SSS_KEY_RING_FILE: text(),
    SSS_IGNORED_MATCH_VALUES: excludedValues().default([]),
  });
  const matching = {
    keyRing: KeyRing.fromFile(env.SSS_KEY_RING_FILE),
    matchRule: matchRule(env.SSS_IGNORED_MATCH_VALUES),
  };
  const say = (line: string) => (json ? undefined : print(`submission: ${line}`));
  const report = await withCommandPool(env.SSS_DATABASE_URL, NAME, (pool) =>
    renew(renewedTables(pool, matching), { log, say, status }),
  );
  const rule = matching.matchRule.id;
  print(json ? JSON.stringify({ service: 'submission', rule, ...report }) : summary(rule, report));
  if (report.tables.some(({ due }) => due > 0)) process.exit(1);
});

interface Report {
  readonly renewed: number;
  readonly failed: number;
  readonly tables: readonly (RuleCount & { readonly name: string })[];
}

interface Options {
  readonly log: Logger;
  readonly say: (line: string) => void;
  readonly status: boolean;
}

async function renew(tables: readonly RenewedTable[], options: Options): Promise<Report> {
  let [renewed, failed] = [0, 0];
  for (let pass = 1; ; pass += 1) {
    const done = options.status ? { renewed: 0, failed: 0 } : await passOver(tables, options, renewed);
    renewed += done.renewed;
    failed = done.failed;
    const counts = await countByRule(tables);
    const isLeft = counts.some(({ due }) => due > 0);
    const isStuck = done.renewed === 0 && failed > 0;
    if (!isLeft || options.status || isStuck || pass === MAX_PASSES)
      return { renewed, failed, tables: counts };
    await pause(BETWEEN_PASSES_MS);
  }
}

async function passOver(tables: readonly RenewedTable[], { log, say }: Options, before: number) {
  let [renewed, failed, said] = [0, 0, performance.now()];
  for (const table of tables) {
    await table.renew({
      renewed(count) {
        renewed += count;
        if (performance.now() - said < PROGRESS_MS) return;
        said = performance.now();
        say(`${before + renewed} rows so far, now at ${table.name}`);
      },
      failed(where, err) {
        failed += 1;
        if (failed <= MAX_FAILURES_LOGGED)
          log.error({ err, row_id: where }, 'match keys could not be renewed');
      },
    });
  }
  return { renewed, failed };
}

function summary(rule: string, { renewed, failed, tables }: Report): string {
  return [
    `${renewed} rows renewed, ${failed} failed`,
    ...tables.map(({ name, current, due }) => `${name}: ${current} rows by rule ${rule}, ${due} by another`),
  ]
    .map((line) => `submission: ${line}`)
    .join('\n');
}
