// SQL, because Prisma can't search several tables in one statement.
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { PersonMatch } from '@supplier/proto/submission/v1/privacy';
import type pg from 'pg';

/** Keyed digests under which a person may be stored, one for each digest key in the ring. */
export interface PersonHashes {
  readonly telephones: readonly Uint8Array[];
  readonly emails: readonly Uint8Array[];
}

/** A submission of a person, whose data is sealed. */
export interface FoundRow {
  readonly id: SubmissionId;
  readonly account_id: AccountId;
  readonly environment: Environment;
  readonly external_reference: string;
  readonly level: Level;
  readonly status: Status;
  readonly received_at: Date;
  readonly erased_at: Date | null;
  readonly held: boolean;
  readonly erasure_id: string | null;
  readonly matched: readonly PersonMatch[];
  readonly enquiry: Buffer | null;
  readonly contact: Buffer | null;
}

const PARAMETERS = { telephone: '$1::bytea[]', email: '$2::bytea[]' } as const;
const MATCHES = { telephone: PersonMatch.TELEPHONE, email: PersonMatch.EMAIL } as const;
/** Each is the predicate of an index on either hash. */
const STATUSES = ['s.status IN (2, 5)', 's.status = 1', 's.status IN (3, 4)'];
const BY_HASH = (['telephone', 'email'] as const).flatMap((key) => [
  ...STATUSES.map(
    (status) =>
      `SELECT s.id, ${MATCHES[key]} FROM submission s
        WHERE s.${key}_hash IS NOT NULL AND s.${key}_hash = ANY(${PARAMETERS[key]}) AND ${status}`,
  ),
  `SELECT o.submission_id, ${MATCHES[key]} FROM other_contact o
    WHERE o.${key}_hash IS NOT NULL AND o.${key}_hash = ANY(${PARAMETERS[key]})`,
]);

/**
 * Uses only index probes, so that the cost does not grow with the table. For its parameters, see {@link
 * personParameters}.
 */
export const FIND_PERSON = `
  SELECT w.id, w.account_id, w.environment, w.external_reference, w.level, w.status, w.received_at, w.erased_at,
         EXISTS (SELECT FROM legal_hold h WHERE h.submission_id = w.id) AS held,
         (SELECT e.erasure_id FROM erasure_submission e
           WHERE e.submission_id = w.id AND e.completed_at IS NULL) AS erasure_id, f.matched, w.enquiry, w.contact
    FROM (SELECT f.id, array_agg(f.matched ORDER BY f.matched) AS matched
            FROM (${BY_HASH.join('\n UNION ')}) AS f(id, matched)
           WHERE $3::uuid IS NULL OR f.id < $3 GROUP BY f.id ORDER BY f.id DESC LIMIT $4) AS f
    JOIN submission w ON w.id = f.id ORDER BY w.id DESC`;

export function personParameters(
  { telephones, emails }: PersonHashes,
  after: SubmissionId | undefined,
  limit: number,
): unknown[] {
  return [telephones, emails, after ?? null, limit];
}

/**
 * Finds submissions that state a person's telephone or email, as received, corrected or promoted, newest first: at most
 * `limit` of those after `after`, and the id after which the next page begins; undefined if there is none.
 */
export async function findPerson(
  sql: Pick<pg.Pool, 'query'>,
  hashes: PersonHashes,
  after: SubmissionId | undefined,
  limit: number,
): Promise<{ rows: FoundRow[]; next: SubmissionId | undefined }> {
  const { rows } = await sql.query<FoundRow>({
    name: 'find-person',
    text: FIND_PERSON,
    values: personParameters(hashes, after, limit + 1),
  });
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? page.at(-1)?.id : undefined };
}
