// SQL, because each filter chooses the index that a page is read through.
import { boundedPage, type Examined } from '@supplier/lib/rpc/page-token';
import { type AccountId, firstIdAt, type SubmissionId } from '@supplier/lib/text/ids';
import { type BillingStatus, type Environment, type Level, Status } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import type pg from 'pg';
import { firstOfQueue, isInQueue, type KnownQueue, waitsSinceReceipt } from '../store/queues.sql.ts';

type Sql = Pick<pg.Pool, 'query'>;

/** Maximum submissions examined for one page, which is the cost of a page without a match. */
const MAX_EXAMINED = 2_000;
/** The largest sets that are selected through an index and sorted as a whole. */
export const MAX_NAMED = { byReference: 5_000, byQueue: 10_000 } as const;
/** Ids are created at the time of receipt. If a clock is set back, they may differ by this much. */
const ID_MARGIN_MS = 2_000;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Filters of submissions. An undefined or empty filter matches everything. */
export interface SubmissionFilter {
  readonly accountId: AccountId | undefined;
  readonly environment: Environment | undefined;
  readonly statuses: readonly Status[];
  readonly level: Level | undefined;
  readonly receivedSince: Date | undefined;
  readonly receivedUntil: Date | undefined;
  readonly referencePrefix: string | undefined;
  readonly applicationReference: string | undefined;
  /** Id of the request that created it: a UUID as sent, or entirely in lower or upper case. */
  readonly requestId: string | undefined;
  readonly billingStatus: BillingStatus | undefined;
  /** Matches submissions in any of these queues. */
  readonly queues: readonly KnownQueue[];
  /** Lists them in the order of receipt instead of newest first. */
  readonly oldestFirst: boolean;
}

/** A submission, with the applicant's data sealed. */
export interface ListedRow {
  readonly id: SubmissionId;
  readonly account_id: AccountId;
  readonly environment: Environment;
  readonly external_reference: string;
  readonly level: Level;
  readonly status: Status;
  readonly received_at: Date;
  readonly decided_at: Date | null;
  readonly billing_status: BillingStatus;
  readonly application_reference: string | null;
  readonly waits_for_staff: boolean;
  readonly is_parked: boolean;
  /** Null once erased. */
  readonly request_id: string | null;
  readonly contact_checks: number;
  /** Null once erased. */
  readonly enquiry: Buffer | null;
  /** The earlier submission that it duplicates, with its owner and reference. */
  readonly duplicate_of: SubmissionId | null;
  readonly duplicate_account_id: AccountId | null;
  readonly duplicate_reference: string | null;
}

const COLUMNS = `w.id, w.account_id, w.environment, w.external_reference, w.level, w.status, w.received_at, w.decided_at,
  w.billing_status, w.application_reference, w.awaits_staff, w.work_parked_at, w.request_id, w.contact_checks,
  w.enquiry, w.duplicate_of`;

/**
 * Lists matching submissions, newest or oldest first, at most `limit` of those after `after`, with the id after which
 * the next page begins; undefined if there is none. However rare matches are, at most 2,000 submissions are examined: the
 * set that the filter names directly (an Application, references by prefix, queues), if it is small enough to sort;
 * otherwise those of the request, of the account, or all, in the order of the list.
 */
export async function listSubmissions(
  pool: Sql,
  filter: SubmissionFilter,
  after: SubmissionId | undefined,
  limit: number,
): Promise<{ rows: ListedRow[]; next: SubmissionId | undefined }> {
  const parameters = new Parameters();
  const { first, beyond } = boundsOf(filter);
  const named = namedSets(filter, await isOrderedByCodePoint(pool, filter), parameters);
  const way = wayOf(filter, after, parameters);
  const { direction } = way;
  // A large queue is walked from its beginning, not from that of all submissions, if its first has the lowest id.
  const start =
    filter.oldestFirst &&
    named.some(({ name }) => name === 'queues_named') &&
    queuesOf(filter).every(waitsSinceReceipt)
      ? { ...way, start: `greatest(${way.start}, (SELECT n.id FROM queues_named n ORDER BY n.id LIMIT 1))` }
      : way;
  const source = named.reduceRight(
    (rest, set) => unlessLarge(set, way, rest),
    walkOf(filter, start, parameters),
  );
  // The last examined row is returned even without a match, because the next page begins after it.
  const { rows } = await pool.query<ListedRow & Examined>({
    text: `${withNamed(named)}
      SELECT p.*, p.work_parked_at IS NOT NULL AS is_parked,
             d.account_id AS duplicate_account_id, d.external_reference AS duplicate_reference,
             (p.status = 1 AND p.awaits_staff) OR coalesce(
               (SELECT a.pre_underwriting = 1 AND a.pre_underwriting_at IS NOT NULL
                  FROM application a WHERE a.submission_id = p.id), false) AS waits_for_staff
        FROM (SELECT w.*, c.place = ${MAX_EXAMINED} AS is_last
                FROM (SELECT s.id, row_number() OVER (ORDER BY s.id ${direction}) AS place
                        FROM (${source}) AS s ORDER BY s.id ${direction} LIMIT ${MAX_EXAMINED}) AS c
               CROSS JOIN LATERAL (SELECT ${COLUMNS}, ${matches(filter, parameters)} AS matches
                                     FROM submission w WHERE w.id = c.id OFFSET 0) AS w
               WHERE w.matches OR c.place = ${MAX_EXAMINED}
               ORDER BY c.id ${direction} LIMIT ${limit + 1}) AS p
        LEFT JOIN submission d ON d.id = p.duplicate_of
       ORDER BY p.id ${direction}`,
    values: parameters.values,
  });
  const { page, next } = boundedPage(rows, limit);
  const isBeforeEnd = next !== undefined && (filter.oldestFirst ? next.id < beyond : next.id > first);
  return { rows: page, next: isBeforeEnd ? next.id : undefined };
}

/** The parameters of a statement, in the order in which they were added. */
class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** Ids from `first` (inclusive) to `beyond` (exclusive). */
interface IdBounds {
  readonly first: string;
  readonly beyond: string;
}

const boundsOf = ({ receivedSince, receivedUntil }: SubmissionFilter): IdBounds => ({
  first: firstIdAt(receivedSince ? receivedSince.getTime() - ID_MARGIN_MS : 0),
  beyond: receivedUntil ? firstIdAt(receivedUntil.getTime() + ID_MARGIN_MS) : LAST_ID,
});

/** The way through the ids: SQL for where it starts, and how the ids that follow compare with that. */
interface Way {
  readonly start: string;
  readonly follows: '<' | '>=';
  readonly direction: 'ASC' | 'DESC';
}

function wayOf(filter: SubmissionFilter, after: SubmissionId | undefined, parameters: Parameters): Way {
  const { first, beyond } = boundsOf(filter);
  if (!filter.oldestFirst) {
    const start = after !== undefined && after < beyond ? after : beyond;
    return { start: parameters.add(start, 'uuid'), follows: '<', direction: 'DESC' };
  }
  const start = after !== undefined && after >= first ? nextUuid(after) : first;
  return { start: parameters.add(start, 'uuid'), follows: '>=', direction: 'ASC' };
}

/** Returns the UUID after one, in the order of their bytes. */
function nextUuid(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Returns SQL for the ids to examine, in the order of the list, up to the limit for each part. It has only one bound:
 * with two the planner expects so few rows that it would sort them instead of walking through the index.
 */
function walkOf(filter: SubmissionFilter, way: Way, parameters: Parameters): string {
  const { accountId, environment, requestId } = filter;
  const { start, follows, direction } = way;
  if (requestId !== undefined) return walkOfRequest(requestId, way, parameters);
  if (accountId === undefined)
    return `SELECT w.id FROM submission w WHERE w.id ${follows} ${start} ORDER BY w.id ${direction} LIMIT ${MAX_EXAMINED}`;
  const account = parameters.add(accountId, 'uuid');
  // Compares rows instead of columns, so that no other index provides this order: an index on ids would be read through
  // the rows of all other accounts.
  return (environment === undefined ? [1, 2] : [environment])
    .map((number) => {
      const within = parameters.add(number, 'smallint');
      return `(SELECT o.id
                 FROM (SELECT w.account_id, w.environment, w.id FROM submission w
                        WHERE w.level > 0 AND (w.account_id, w.environment, w.id) ${follows} (${account}, ${within}, ${start})
                        ORDER BY w.account_id ${direction}, w.environment ${direction}, w.id ${direction} LIMIT ${MAX_EXAMINED}) AS o
                WHERE o.account_id = ${account} AND o.environment = ${within})`;
    })
    .join(' UNION ALL ');
}

/**
 * Returns SQL for the ids of submissions created by a request, however many there are. Rows are compared, with only one
 * bound, as above: regardless of how often the planner thinks ids are reused, one index provides this order, and
 * no more than the limit is read.
 */
const walkOfRequest = (
  requestId: string,
  { start, follows, direction }: Way,
  parameters: Parameters,
): string =>
  spellingsOf(requestId)
    .map((spelling) => {
      const id = parameters.add(spelling, 'text');
      return `(SELECT o.id
                 FROM (SELECT w.request_id, w.id FROM submission w
                        WHERE w.request_id IS NOT NULL AND (w.request_id, w.id) ${follows} (${id}, ${start})
                        ORDER BY w.request_id ${direction}, w.id ${direction} LIMIT ${MAX_EXAMINED}) AS o
                WHERE o.request_id = ${id})`;
    })
    .join(' UNION ALL ');

interface NamedSet {
  readonly name: 'application_named' | 'references_named' | 'queues_named';
  /** SQL with one column, `id`, which may repeat. */
  readonly sql: string;
  /** The largest size that is sorted. A larger set is not used. */
  readonly most: number;
}

/** Each set is read once, when a later part of the statement needs it. */
const withNamed = (sets: readonly NamedSet[]): string =>
  sets.length === 0
    ? ''
    : `WITH ${sets
        .map(
          ({ name, sql, most }) =>
            `${name} AS MATERIALIZED (SELECT s.id FROM (${sql}) AS s LIMIT ${most + 1})`,
        )
        .join(', ')}`;

/**
 * Returns SQL for the ids of a named set on the way, or `rest` if the set is too large; only one of the two is
 * executed.
 */
const unlessLarge = ({ name, most }: NamedSet, { start, follows }: Way, rest: string): string =>
  `SELECT DISTINCT n.id FROM ${name} n WHERE n.id ${follows} ${start} AND (SELECT count(*) FROM ${name}) <= ${most}
   UNION ALL SELECT r.id FROM (${rest}) AS r WHERE (SELECT count(*) FROM ${name}) > ${most}`;

/** Returns the sets named by a filter, probably smallest first. */
function namedSets(filter: SubmissionFilter, isByCodePoint: boolean, parameters: Parameters): NamedSet[] {
  const { applicationReference, referencePrefix } = filter;
  const sets: NamedSet[] = [];
  if (applicationReference !== undefined) {
    const reference = parameters.add(applicationReference, 'text');
    const sql = `SELECT submission_id AS id FROM application WHERE reference = ${reference}`;
    return [{ name: 'application_named', sql, most: 1 }];
  }
  if (referencePrefix !== undefined && isByCodePoint) {
    const most = MAX_NAMED.byReference;
    const prefix = parameters.add(referencePrefix, 'text');
    const sql = `SELECT f.id FROM (${accountsOf(filter, parameters)}) AS a CROSS JOIN LATERAL (
                   SELECT s.id FROM submission s
                    WHERE s.account_id = a.account_id AND s.environment = a.environment
                      AND s.external_reference >= ${prefix} AND s.external_reference < ${prefix} || chr(1114111)
                    ORDER BY s.external_reference LIMIT ${most + 1}) AS f`;
    sets.push({ name: 'references_named', sql, most });
  }
  const queues = queuesOf(filter);
  if (queues.length > 0) {
    const most = MAX_NAMED.byQueue;
    const sql = queues.map((queue) => firstOfQueue(queue, filter.environment, most + 1)).join(' UNION ALL ');
    sets.push({ name: 'queues_named', sql, most });
  }
  return sets;
}

/**
 * Returns SQL for the accounts and environments of a filter. Without an account, it jumps through the unique index on
 * references from each account to the next, so its cost is that of the accounts, not of their submissions.
 */
function accountsOf({ accountId, environment }: SubmissionFilter, parameters: Parameters): string {
  const within = parameters.add(environment === undefined ? [1, 2] : [environment], 'smallint[]');
  if (accountId !== undefined)
    return `SELECT ${parameters.add(accountId, 'uuid')} AS account_id, unnest(${within}) AS environment`;
  const next = (after: string) =>
    `(SELECT s.account_id FROM submission s ${after} ORDER BY s.account_id, s.environment, s.external_reference LIMIT 1)`;
  return `WITH RECURSIVE a AS (
            ${next('')} UNION ALL
            SELECT n.account_id FROM a CROSS JOIN LATERAL ${next('WHERE s.account_id > a.account_id')} AS n)
          SELECT a.account_id, e.environment FROM a CROSS JOIN unnest(${within}) AS e (environment)`;
}

/** Returns the id as quoted, and in lower and upper case, since it is stored as the supplier sent it. */
const spellingsOf = (id: string): readonly string[] => [...new Set([id, id.toLowerCase(), id.toUpperCase()])];

/** Every undecided submission is in one of these. */
const UNDECIDED: readonly KnownQueue[] = [Queue.STAFF_DECISION, Queue.DECISION, Queue.PARKED];

function queuesOf({ queues, statuses }: SubmissionFilter): readonly KnownQueue[] {
  if (queues.length > 0) return queues;
  return statuses.length > 0 && statuses.every((status) => status === Status.RECEIVED) ? UNDECIDED : [];
}

/** Reports whether the unique index on references can find a prefix, which requires text ordered by code point. */
async function isOrderedByCodePoint(pool: Sql, { referencePrefix }: SubmissionFilter): Promise<boolean> {
  if (referencePrefix === undefined) return false;
  const { rows } = await pool.query<{ by_code_point: boolean }>({
    name: 'is-ordered-by-code-point',
    text: `SELECT datlocprovider = 'b' OR (datlocprovider = 'c' AND datcollate IN ('C', 'POSIX')) AS by_code_point
             FROM pg_database WHERE datname = current_database()`,
  });
  return rows[0]?.by_code_point ?? false;
}

function matches(filter: SubmissionFilter, parameters: Parameters): string {
  const { queues, statuses, referencePrefix } = filter;
  const conditions: string[] = [];
  const where = (value: unknown, type: string, condition: (parameter: string) => string) => {
    if (value !== undefined) conditions.push(condition(parameters.add(value, type)));
  };
  where(filter.accountId, 'uuid', (account) => `w.account_id = ${account}`);
  where(filter.environment, 'smallint', (environment) => `w.environment = ${environment}`);
  if (statuses.length > 0) where(statuses, 'smallint[]', (all) => `w.status = ANY(${all})`);
  where(filter.level, 'smallint', (level) => `w.level = ${level}`);
  where(filter.receivedSince, 'timestamptz', (since) => `w.received_at >= ${since}`);
  where(filter.receivedUntil, 'timestamptz', (until) => `w.received_at < ${until}`);
  where(referencePrefix, 'text', (prefix) => `starts_with(w.external_reference, ${prefix})`);
  where(filter.applicationReference, 'text', (reference) => `w.application_reference = ${reference}`);
  where(filter.requestId && spellingsOf(filter.requestId), 'text[]', (all) => `w.request_id = ANY(${all})`);
  where(filter.billingStatus, 'smallint', (status) => `w.billing_status = ${status}`);
  if (queues.length > 0) conditions.push(`(${queues.map(isInQueue).join(' OR ')})`);
  return conditions.length > 0 ? `(${conditions.join(' AND ')})` : 'true';
}
