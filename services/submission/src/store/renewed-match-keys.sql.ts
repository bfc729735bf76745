// SQL, because rows are locked and rewritten in sets.
import { setTimeout as pause } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { enqueue, inTransaction } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type { Environment } from '@supplier/proto/common/v1/status';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { otherContactAad, promotedKeysAad } from '../model/associated-data.ts';
import { enquiryHashes, type MatchHashes, type Matching, statedHashes } from '../model/match-hashes.ts';
import { identifyingEnquiry, openEnquiry } from './submission-row.ts';

/** Rows locked by one transaction, for some milliseconds during which the service waits for them. */
const BATCH = 200;
const MAX_REST_MS = 1_000;

/** Number of rows with the current rule, and with another. */
export interface RuleCount {
  readonly current: number;
  readonly due: number;
}

export interface Renewal {
  /** Called for each batch with the number of renewed rows; `failed` is called for each row that failed. */
  renewed(count: number): void;
  failed(where: string, error: unknown): void;
}

/** A table with match keys of a rule. */
export interface RenewedTable {
  readonly name: string;
  /** Counts by reading the whole table. */
  count(): Promise<RuleCount>;
  /**
   * Walks through the table once, in the order of its primary key, and recomputes the hashes of rows with another rule.
   * After a crash a new run continues with the remaining rows, and several runs share the work. Skips rows locked by
   * others, so that it neither waits for the service nor deadlocks with it; after each batch it pauses for as long as
   * the batch took. An unreadable row is reported and left unchanged.
   */
  renew(renewal: Renewal): Promise<void>;
}

interface Row {
  readonly id: SubmissionId;
  /** Revision of a correction; 0 for everything else. */
  readonly revision: number;
  readonly environment: Environment;
  readonly enquiry: Buffer | null;
  readonly identifying: Buffer | null;
  readonly contact: Buffer;
  readonly stated: Buffer;
}

/** A position in the order of the primary key. */
type Place = Pick<Row, 'id' | 'revision'>;

interface Statements {
  readonly name: string;
  /** The next due rows, without a lock; reads the whole table if few are due. */
  readonly find: string;
  /** The rows among them that are still due and not locked by others. */
  readonly lock: string;
  readonly update: string;
  readonly count: string;
  readonly hashes: (matching: Matching, row: Row) => MatchHashes;
}

const BEGINNING: Place = { id: '00000000-0000-0000-0000-000000000000' as SubmissionId, revision: 0 };

export function renewedTables(pool: pg.Pool, matching: Matching): RenewedTable[] {
  return [SUBMISSIONS, PROMOTIONS, OTHER_CONTACTS].map((table) => renewedTable(pool, matching, table));
}

/**
 * Counts the rows of each table with the current rule, and with another. Sequential, because with a single connection
 * the next count would wait for the previous one and might exceed the pool's timeout.
 */
export async function countByRule(
  tables: readonly RenewedTable[],
): Promise<(RuleCount & { readonly name: string })[]> {
  const counts: (RuleCount & { readonly name: string })[] = [];
  for (const table of tables) counts.push({ name: table.name, ...(await table.count()) });
  return counts;
}

const GIVEN = 'unnest($2::uuid[], $3::int[], $4::bytea[], $5::bytea[], $6::bytea[])';

/** Erased rows have no hashes, and nothing to compute them from. */
const SUBMISSIONS: Statements = {
  name: 'submission',
  find: `SELECT w.id, 0 AS revision FROM submission w
          WHERE w.match_rule <> $1 AND w.enquiry IS NOT NULL AND w.id > $2::uuid AND $3::int = 0
          ORDER BY w.id LIMIT ${BATCH}`,
  lock: `SELECT w.id, 0 AS revision, w.environment, w.enquiry, w.identifying FROM submission w
          WHERE w.id = ANY($2::uuid[]) AND 0 = ALL($3::int[]) AND w.match_rule <> $1 AND w.enquiry IS NOT NULL
          ORDER BY w.id FOR NO KEY UPDATE SKIP LOCKED`,
  update: `UPDATE submission s
              SET company_hash = g.company, telephone_hash = g.telephone, email_hash = g.email, match_digest_key = $7,
                  match_rule = $1
             FROM ${GIVEN} AS g(id, revision, company, telephone, email) WHERE s.id = g.id`,
  count: `SELECT w.match_rule = $1 AS current, count(*)::int AS count FROM submission w
           WHERE w.enquiry IS NOT NULL GROUP BY 1`,
  hashes(matching, row) {
    const { keyRing } = matching;
    const enquiry = identifyingEnquiry(keyRing, row, openEnquiry(keyRing, row));
    return enquiryHashes(matching, row.environment, enquiry);
  },
};

const PROMOTIONS: Statements = {
  name: 'promoted_keys',
  find: `SELECT p.submission_id AS id, 0 AS revision FROM promoted_keys p
          WHERE p.match_rule <> $1 AND p.submission_id > $2::uuid AND $3::int = 0
          ORDER BY p.submission_id LIMIT ${BATCH}`,
  lock: `SELECT p.submission_id AS id, 0 AS revision, p.stated FROM promoted_keys p
          WHERE p.submission_id = ANY($2::uuid[]) AND 0 = ALL($3::int[]) AND p.match_rule <> $1
          ORDER BY p.submission_id FOR NO KEY UPDATE SKIP LOCKED`,
  update: `UPDATE promoted_keys p
              SET company_hash = g.company, telephone_hash = g.telephone, email_hash = g.email, match_digest_key = $7,
                  match_rule = $1
             FROM ${GIVEN} AS g(id, revision, company, telephone, email) WHERE p.submission_id = g.id`,
  count: `SELECT p.match_rule = $1 AS current, count(*)::int AS count FROM promoted_keys p GROUP BY 1`,
  hashes: (matching, { id, stated }) =>
    statedHashes(matching, fromBinary(EnquirySchema, matching.keyRing.open(stated, promotedKeysAad(id)))),
};

const OTHER_CONTACTS: Statements = {
  name: 'other_contact',
  find: `SELECT o.submission_id AS id, o.revision FROM other_contact o
          WHERE o.match_rule <> $1 AND (o.submission_id, o.revision) > ($2::uuid, $3::int)
          ORDER BY o.submission_id, o.revision LIMIT ${BATCH}`,
  lock: `SELECT o.submission_id AS id, o.revision, o.contact FROM other_contact o
          WHERE o.submission_id = ANY($2::uuid[]) AND o.match_rule <> $1
            AND (o.submission_id, o.revision) IN (SELECT * FROM unnest($2::uuid[], $3::int[]))
          ORDER BY o.submission_id, o.revision FOR NO KEY UPDATE SKIP LOCKED`,
  update: `UPDATE other_contact o
              SET telephone_hash = g.telephone, email_hash = g.email, match_digest_key = $7, match_rule = $1
             FROM ${GIVEN} AS g(id, revision, company, telephone, email)
            WHERE o.submission_id = g.id AND o.revision = g.revision`,
  count: `SELECT o.match_rule = $1 AS current, count(*)::int AS count FROM other_contact o GROUP BY 1`,
  hashes: (matching, { id, revision, contact }) =>
    statedHashes(
      matching,
      fromBinary(ContactSchema, matching.keyRing.open(contact, otherContactAad(id, revision))),
    ),
};

function renewedTable(pool: pg.Pool, matching: Matching, table: Statements): RenewedTable {
  const { matchRule, keyRing } = matching;

  async function batch(after: Place, renewal: Renewal) {
    return inTransaction(pool, async (tx) => {
      enqueue(tx, { text: 'SET LOCAL enable_seqscan = off' });
      enqueue(tx, { text: 'SET LOCAL enable_bitmapscan = off' });
      const found = await tx.query<Place>(table.find, [matchRule.id, after.id, after.revision]);
      if (found.rows.length === 0) return { count: 0, last: undefined };
      const places = [found.rows.map(({ id }) => id), found.rows.map(({ revision }) => revision)];
      const { rows } = await tx.query<Row>(table.lock, [matchRule.id, ...places]);
      const renewed = rows.flatMap((row) => {
        try {
          return [{ ...row, ...table.hashes(matching, row) }];
        } catch (error) {
          renewal.failed(`${table.name} ${row.id}`, error);
          return [];
        }
      });
      if (renewed.length > 0) enqueue(tx, { text: table.update, values: valuesOf(renewed) });
      return { count: renewed.length, last: found.rows.at(-1) };
    });
  }

  function valuesOf(rows: readonly (Row & MatchHashes)[]): unknown[] {
    return [
      matchRule.id,
      rows.map(({ id }) => id),
      rows.map(({ revision }) => revision),
      rows.map(({ companyHash }) => companyHash),
      rows.map(({ telephoneHash }) => telephoneHash),
      rows.map(({ emailHash }) => emailHash),
      keyRing.digestKeyId,
    ];
  }

  return {
    name: table.name,
    async count() {
      const { rows } = await pool.query<{ current: boolean; count: number }>(table.count, [matchRule.id]);
      const of = (current: boolean) => rows.find((row) => row.current === current)?.count ?? 0;
      return { current: of(true), due: of(false) };
    },
    async renew(renewal) {
      for (let after: Place | undefined = BEGINNING; after; ) {
        const startedAt = performance.now();
        const { count, last } = await batch(after, renewal);
        if (count > 0) renewal.renewed(count);
        after = last;
        if (after) await pause(Math.min(performance.now() - startedAt, MAX_REST_MS));
      }
    },
  };
}
