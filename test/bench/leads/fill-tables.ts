import type { ServiceWithDatabase } from '../../../deploy/local/services/process-table.ts';

/**
 * A table that gets a row for each submission inserted. The row is a copy of one that the system wrote, so columns need an
 * entry here only if they must differ: `changes` has an SQL expression for each of those, in which `g` is the submission's
 * number and `t` the copied row. Unknown columns are ignored.
 */
export interface FilledTable {
  readonly service: ServiceWithDatabase;
  readonly table: string;
  /** Selects the row to copy; `$1` is a settled submission, and must be used. */
  readonly where: string;
  readonly changes: Readonly<Record<string, string>>;
}

/** The number of days over which submissions arrived, all within the period of the duplicate search. */
export const DAYS = 60;

const id = (kind: string) => `pg_temp.bench_id('${kind}', g)`;
const bytes = (kind: string) => `sha256(('${kind}' || g)::bytea)`;
const earlier = (column: string) =>
  `t."${column}" - make_interval(secs => ${DAYS * 86_400} * (1 - g / $2::float8))`;
const earlierAll = (...columns: string[]) =>
  Object.fromEntries(columns.map((column) => [column, earlier(column)]));

/** Event ids from the last six days: their tables have a partition for each day. */
const eventId = (kind: string) => `pg_temp.bench_event_id('${kind}', g / $2::float8, g)`;

/** Parents before children. Event times are unchanged, because tables may be partitioned by day. */
export const filledTables: readonly FilledTable[] = [
  {
    service: 'submission',
    table: 'submission',
    where: 'id = $1',
    changes: {
      id: id('submission'),
      external_reference: "'filled-' || g",
      // An odd factor: every number gives a different one, in no order.
      application_reference: "'APP-' || upper(lpad(to_hex((g * 2654435761) % 1099511627776), 10, '0'))",
      body_digest: bytes('body'),
      company_hash: bytes('company'),
      telephone_hash: bytes('telephone'),
      email_hash: bytes('email'),
      ...earlierAll('received_at', 'decided_at', 'application_created_at', 'billable_at', 'changed_at'),
    },
  },
  {
    service: 'submission',
    table: 'application',
    where: 'submission_id = $1',
    changes: {
      id: id('application'),
      submission_id: id('submission'),
      reference: "'APP-' || upper(lpad(to_hex((g * 2654435761) % 1099511627776), 10, '0'))",
      ...earlierAll('created_at', 'pre_underwriting_at'),
    },
  },
  {
    service: 'billing',
    table: 'ledger_entry',
    where: 'submission_id = $1',
    changes: {
      id: id('entry'),
      submission_id: id('submission'),
      event_id: id('entry-event'),
      ...earlierAll('occurred_at', 'entered_at'),
      statement_month: `date_trunc('month', (${earlier('occurred_at')}) AT TIME ZONE 'UTC')::date`,
    },
  },
  {
    service: 'webhook',
    table: 'event',
    where: `submission_id = $1 AND state = 'delivered'`,
    changes: { id: id('event'), submission_id: id('submission') },
  },
  {
    service: 'webhook',
    table: 'attempt',
    where: `event_id = (SELECT id FROM event WHERE submission_id = $1 AND state = 'delivered' ORDER BY id LIMIT 1)`,
    changes: { event_id: id('event') },
  },
  {
    service: 'submission',
    table: 'domain_event',
    where: 'aggregate_id = $1',
    changes: { event_id: eventId('published'), aggregate_id: id('submission') },
  },
];
