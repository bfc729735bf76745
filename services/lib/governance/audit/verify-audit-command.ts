import type pg from 'pg';
import { withCommandPool } from '../../data/postgres/index.ts';
import { FLAG, print, runCommand } from '../../runtime/command/index.ts';
import { ConfigError, postgresUrl, readCommandEnvironment } from '../../runtime/config/index.ts';
import { lastGoodHead, recordVerification } from './verifications.ts';
import { type ChainReport, type KnownHead, verifyChain } from './verify-chain.ts';

const USAGE = `usage: verify-audit [--head POSITION:HASH] [--record] [--json]
  Verifies the audit log in the database of SSS_DATABASE_URL against its seals, and prints the first entry that was
  changed, removed or added. Changes nothing. The service's own role is sufficient, and the service may be running.
  --head POSITION:HASH  an earlier end of the chain, from a previous run or the log message "audit entries sealed".
                        Needed to detect that the newest entries were removed or the chain was rewritten
  --record              stores the result for the service's metrics, for scheduled runs. The default of --head is then
                        the end at the last recorded run that found the chain intact
  --json                prints the result as one line of JSON
  Exits with 1 if entries were changed, removed or added, or have been unsealed for too long.`;

const HEAD = /^(\d{1,18}):([0-9a-f]{64})$/;

/** Runs a service's command: `verify-audit [--head POSITION:HASH] [--record] [--json]`. */
export function runVerifyAuditCommand(service: string): void {
  const name = `${service}-verify-audit`;
  const flags = { head: { type: 'string' }, record: FLAG, json: FLAG } as const;
  runCommand(name, { usage: USAGE, flags }, async ({ head, record, json }) => {
    const known = headOf(head);
    if (head !== undefined && !known) throw new ConfigError(USAGE);
    const env = readCommandEnvironment({ SSS_DATABASE_URL: postgresUrl() });
    const report = await withCommandPool(env.SSS_DATABASE_URL, name, async (pool) => {
      const session = await pool.connect();
      try {
        return await verify(session, service, { head: known, record });
      } finally {
        session.release();
      }
    });
    print(json ? asJson(service, report) : summary(service, report));
    if (report.broken) process.exit(1);
  });
}

async function verify(
  session: pg.ClientBase,
  service: string,
  { head, record }: { readonly head: KnownHead | undefined; readonly record: boolean },
): Promise<ChainReport> {
  if (!record) return verifyChain(session, service, head);
  const known = head ?? headOf(await lastGoodHead(session));
  const report = await verifyChain(session, service, known);
  const { broken } = report;
  await recordVerification(session, { head: headText(report), ...(broken && { broken }) });
  return report;
}

function headOf(text: string | undefined): KnownHead | undefined {
  const [, position, hash] = HEAD.exec(text ?? '') ?? [];
  return position && hash ? { position: BigInt(position), hash } : undefined;
}

const headText = ({ head }: ChainReport) => `${head.position}:${Buffer.from(head.hash).toString('hex')}`;

function asJson(service: string, report: ChainReport): string {
  const { sealed, waiting, broken } = report;
  return JSON.stringify({ service, sealed, waiting, head: headText(report), ...(broken && { broken }) });
}

function summary(service: string, report: ChainReport): string {
  const { sealed, waiting, broken } = report;
  if (broken) return `${service}: BROKEN: ${broken}\n${service}: intact up to ${headText(report)}`;
  return `${service}: intact: ${sealed} sealed entries, ${waiting} waiting to be sealed, head ${headText(report)}`;
}
