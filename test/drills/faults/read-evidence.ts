import { fromBinary } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type { Databases } from '../databases.ts';
import { APPLICANTS_NAME } from '../load.ts';
import type { Application, Change, Evidence, LedgerLine, Submission, WebhookEvent } from './evidence.ts';
import { billingStatusAt, statusAt } from './seen-status.ts';

/** What the databases contain. */
export type Stored = Pick<
  Evidence,
  'submissions' | 'applications' | 'changes' | 'ledger' | 'events' | 'queues' | 'namesFound' | 'traces'
>;

/** The sizes of queues by name. */
export type Queues = Evidence['queues'];

/** Reads the data of these accounts and of these applicants, and the queues. */
export async function readStored(
  { rows }: Databases,
  accountIds: readonly string[],
  applicants: readonly string[],
  backlogs: () => Promise<Queues>,
): Promise<Stored> {
  const submissions = await rows<SubmissionRow>(
    'submission',
    `SELECT id, account_id, external_reference, status, billing_status, received_at, duplicate_of,
            application_reference, version::int AS version, enquiry IS NOT NULL AS has_enquiry
       FROM submission WHERE account_id = ANY($1)`,
    [accountIds],
  );
  const ids = submissions.map(({ id }) => id);
  const envelopes = await rows<{ envelope: Buffer }>(
    'submission',
    `SELECT envelope FROM domain_event WHERE aggregate_id = ANY($1) AND type LIKE '%.SubmissionStatusChanged'`,
    [ids],
  );
  return {
    submissions: submissions.map(submissionOf),
    applications: await rows<Application>(
      'submission',
      'SELECT submission_id AS "submissionId", reference FROM application WHERE submission_id = ANY($1)',
      [ids],
    ),
    changes: envelopes.map(({ envelope }) => changeIn(envelope)),
    ledger: await rows<LedgerLine>(
      'billing',
      `SELECT submission_id AS "submissionId", account_id AS "accountId", kind::text AS kind
         FROM ledger_entry WHERE account_id = ANY($1)`,
      [accountIds],
    ),
    events: await rows<WebhookEvent>(
      'webhook',
      `SELECT id, submission_id AS "submissionId", extract(epoch FROM occurred_at)::float8 * 1000 AS "occurredAt",
              state::text AS state, superseded_by AS "supersededBy", attempt_count::int AS attempts
         FROM event WHERE account_id = ANY($1)`,
      [accountIds],
    ),
    queues: await readQueues({ rows }, backlogs),
    namesFound: await findNames({ rows }),
    traces: await rows<Evidence['traces'][number]>('submission', TRACES, [applicants]),
  };
}

/** The tables in which work waits, by service. */
const QUEUES: Readonly<Record<string, readonly string[]>> = {
  submission: [
    'outbox',
    'failed_event',
    'submission WHERE status = 1 AND NOT awaits_staff',
    'submission WHERE work_parked_at IS NOT NULL',
    'erasure_submission WHERE completed_at IS NULL',
  ],
  document: ['outbox', 'failed_event'],
  billing: ['failed_event'],
  webhook: ['outbox', 'failed_event', 'event WHERE next_attempt_at IS NOT NULL OR lease_until IS NOT NULL'],
};

/** The places where the submission service stores data of applicants. */
const TRACES = `
  SELECT w.id AS "submissionId", t.place FROM submission w CROSS JOIN LATERAL (VALUES
    ('enquiry', w.enquiry IS NOT NULL), ('working contact', w.contact IS NOT NULL),
    ('match keys', num_nonnulls(w.company_hash, w.telephone_hash, w.email_hash) > 0),
    ('body digest', num_nonnulls(w.body_digest, w.body_fingerprint) > 0),
    ('Application', EXISTS (SELECT FROM application a WHERE a.submission_id = w.id AND a.snapshot IS NOT NULL)),
    ('correction', EXISTS (SELECT FROM contact_correction c WHERE c.submission_id = w.id AND c.contact IS NOT NULL)),
    ('other contact', EXISTS (SELECT FROM other_contact o WHERE o.submission_id = w.id)),
    ('journey link', EXISTS (SELECT FROM journey_link l WHERE l.submission_id = w.id AND octet_length(l.token) > 0))
  ) AS t(place, is_present) WHERE t.is_present AND w.id = ANY($1)`;

/** Returns the queues in which work waits, with their sizes: rows, and the backlogs of consumers. */
export async function readQueues({ rows }: Databases, backlogs: () => Promise<Queues>): Promise<Queues> {
  const queues = [...(await backlogs())];
  for (const [service, tables] of Object.entries(QUEUES))
    for (const table of tables) {
      const [row] = await rows<{ count: number }>(service, `SELECT count(*)::int AS count FROM ${table}`);
      if (row && row.count > 0) queues.push({ name: `${service} ${table}`, rows: row.count });
    }
  return queues;
}

/** Searches every text column of every database for the applicants' name, which belongs only in sealed columns. */
export async function findNames({ rows }: Databases): Promise<string[]> {
  const found: string[] = [];
  for (const service of ['submission', 'document', 'billing', 'webhook', 'account']) {
    const columns = await rows<{ table: string; column: string }>(
      service,
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type IN ('text', 'jsonb', 'ARRAY')`,
    );
    for (const { table, column } of columns) {
      const sql = `SELECT 1 FROM "${table}" WHERE "${column}"::text LIKE '%' || $1 || '%' LIMIT 1`;
      if ((await rows(service, sql, [APPLICANTS_NAME])).length > 0)
        found.push(`${service} ${table}.${column}`);
    }
  }
  return found;
}

interface SubmissionRow {
  readonly id: string;
  readonly account_id: string;
  readonly external_reference: string;
  readonly status: number;
  readonly billing_status: number;
  readonly received_at: Date;
  readonly duplicate_of: string | null;
  readonly application_reference: string | null;
  readonly version: number;
  readonly has_enquiry: boolean;
}

const submissionOf = (row: SubmissionRow): Submission => ({
  id: row.id,
  accountId: row.account_id,
  reference: row.external_reference,
  status: statusAt(row.status),
  billing: billingStatusAt(row.billing_status),
  receivedAt: row.received_at.getTime(),
  duplicateOf: row.duplicate_of,
  applicationReference: row.application_reference,
  version: row.version,
  hasEnquiry: row.has_enquiry,
});

function changeIn(bytes: Buffer): Change {
  const { eventId, aggregateId, aggregateVersion, occurredAt, payload } = fromBinary(
    EventEnvelopeSchema,
    bytes,
  );
  const { submission, accountId } = fromBinary(SubmissionStatusChangedSchema, payload);
  if (!submission?.billing || !occurredAt) throw new Error(`the event ${eventId} lacks a status`);
  return {
    ...{ eventId, submissionId: aggregateId, accountId, version: Number(aggregateVersion) },
    status: statusAt(submission.status),
    billing: billingStatusAt(submission.billing.billingStatus),
    occurredAt: timestampMs(occurredAt),
  };
}
