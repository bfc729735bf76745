import type { ServiceWithDatabase } from '../../../deploy/local/services/process-table.ts';

/**
 * A table that gets a row for each lead that is filled in. The row is a copy of one that the system wrote itself, so
 * that columns need no mention here unless they have to differ: `changes` has an SQL expression for each of those, in
 * which `g` is the lead's number and `t` the row that is copied. A column that does not exist is passed over.
 */
export interface FilledTable {
  readonly service: ServiceWithDatabase;
  readonly table: string;
  /** Which row is copied; `$1` is a lead that is settled, and has to be in it. */
  readonly where: string;
  readonly changes: Readonly<Record<string, string>>;
}

/** Leads came in over so many days, all of them before the search for duplicates forgets them. */
export const DAYS = 60;

const id = (kind: string) => `pg_temp.bench_id('${kind}', g)`;
const bytes = (kind: string) => `sha256(('${kind}' || g)::bytea)`;
const earlier = (column: string) =>
  `t."${column}" - make_interval(secs => ${DAYS * 86_400} * (1 - g / $2::float8))`;
const earlierAll = (...columns: string[]) =>
  Object.fromEntries(columns.map((column) => [column, earlier(column)]));

/** Events of the last six days: their tables have a partition for each day of the event ids. */
const eventId = (kind: string) => `pg_temp.bench_event_id('${kind}', g / $2::float8, g)`;

/** Parents before children. Times of events stay: what they are kept by may be divided by day. */
export const filledTables: readonly FilledTable[] = [
  {
    service: 'submission',
    table: 'submission',
    where: 'id = $1',
    changes: {
      id: id('submission'),
      external_reference: "'filled-' || g",
      // An odd factor: every number gives another one, in no order.
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
