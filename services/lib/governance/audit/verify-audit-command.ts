import { parseArgs } from 'node:util';
import pg from 'pg';
import { ConfigError, readCommandEnvironment, urlOf } from '../../runtime/config/index.ts';
import { runCommand } from '../../runtime/service-runtime/index.ts';
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

/** The longest statement searches all entries for those without a seal. */
const STATEMENT_TIMEOUT_MS = 600_000;
const HEAD = /^(\d{1,18}):([0-9a-f]{64})$/;

/**
 * Runs a service's command: `node services/<service>/src/verify-audit.ts [--head POSITION:HASH] [--record] [--json]`.
 */
export function runVerifyAuditCommand(service: string): void {
  runCommand(`${service}-verify-audit`, async () => {
    const options = readOptions(process.argv.slice(2));
    if (options.help) return print(USAGE);
    const env = readCommandEnvironment({ SSS_DATABASE_URL: urlOf(['postgres:', 'postgresql:']) });
    const session = new pg.Client({
      connectionString: env.SSS_DATABASE_URL,
      application_name: `${service}-verify-audit`,
      connectionTimeoutMillis: 10_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    // A broken connection fails the current statement; without a listener it would end the process.
    session.on('error', () => {});
    await session.connect();
    let report: ChainReport;
    try {
      report = await verify(session, service, options);
    } finally {
      await session.end();
    }
    await print(options.json ? asJson(service, report) : summary(service, report));
    if (report.broken) process.exit(1);
  });
}

async function verify(session: pg.Client, service: string, { head, record }: Options): Promise<ChainReport> {
  if (!record) return verifyChain(session, service, head);
  const known = head ?? headOf(await lastGoodHead(session));
  const report = await verifyChain(session, service, known);
  const { broken } = report;
  await recordVerification(session, { head: headText(report), ...(broken && { broken }) });
  return report;
}

interface Options {
  readonly head?: KnownHead;
  readonly record: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

function readOptions(args: string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  let values: { head?: string; record: boolean; json: boolean; help: boolean };
  try {
    const options = { head: { type: 'string' }, record: flag, json: flag, help: flag } as const;
    ({ values } = parseArgs({ args, options }));
  } catch {
    throw new ConfigError(USAGE);
  }
  const { head, ...flags } = values;
  if (head === undefined) return flags;
  const known = headOf(head);
  if (!known) throw new ConfigError(USAGE);
  return { ...flags, head: known };
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

/** Resolves when the line is written, because the process exits when the command returns. */
function print(line: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${line}\n`, () => resolve());
  });
}
