import type pg from 'pg';
import { withCommandPool } from '../../data/postgres/index.ts';
import { FLAG, print, runCommand } from '../../runtime/command/index.ts';
import { ConfigError, readCommandEnvironment, urlOf } from '../../runtime/config/index.ts';
import { lastGoodHead, recordVerification } from './verifications.ts';
import { type ChainReport, type KnownHead, verifyChain } from './verify-chain.ts';

const USAGE = `usage: verify-audit [--head POSITION:HASH] [--record] [--json]
  reads the whole audit log in the database of SSS_DATABASE_URL, and says whether every entry is what was sealed, or
  which is the first that is not. Changes nothing; the role that the service runs as may do it, beside the service.
  --head   an end that the chain has had, from an earlier run or from the log message "audit entries sealed": without
           one, a chain whose newest entries were removed, or that was rewritten, is as good as any
  --record keeps what was found in the database, where the metrics of the service show it, for runs by a schedule;
           the end that the chain had when a recorded run last found it whole is its --head where none is given
  --json   writes the result as one line of JSON
  exit 1 when something was changed, removed or added, and when entries wait too long for their seal`;

const HEAD = /^(\d{1,18}):([0-9a-f]{64})$/;

/**
 * Runs a service's command: `node services/<service>/src/verify-audit.ts [--head POSITION:HASH] [--record] [--json]`.
 */
export function runVerifyAuditCommand(service: string): void {
  const name = `${service}-verify-audit`;
  const flags = { head: { type: 'string' }, record: FLAG, json: FLAG } as const;
  runCommand(name, { usage: USAGE, flags }, async ({ head, record, json }) => {
    const known = headOf(head);
    if (head !== undefined && !known) throw new ConfigError(USAGE);
    const env = readCommandEnvironment({ SSS_DATABASE_URL: urlOf(['postgres:', 'postgresql:']) });
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
  if (broken) return `${service}: BROKEN: ${broken}\n${service}: good up to ${headText(report)}`;
  return `${service}: ${sealed} entries are what was sealed, ${waiting} wait for their seal, head ${headText(report)}`;
}
