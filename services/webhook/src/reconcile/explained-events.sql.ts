// SQL, because pages of events are ranges of the index on ids.
import type { AccountId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { EnvironmentName } from '../model/event.ts';

/** A recorded event and whom it is delivered to. */
export interface RecordedEvent {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
}

/** A range of event ids: after `first`, and before `beyond`. */
export interface IdRange {
  readonly first: string;
  readonly beyond: string;
}

const EVENT = `id AS "eventId", submission_id AS "submissionId", account_id AS "accountId",
  environment::text AS environment`;

/** Returns up to `limit` events of a range that are not among the `listed`, in the order of their ids. */
export async function listOthers(
  pool: Pool,
  { first, beyond }: IdRange,
  listed: readonly EventId[],
  limit: number,
): Promise<RecordedEvent[]> {
  const { rows } = await pool.query<RecordedEvent>({
    name: 'list-other-events',
    text: `SELECT ${EVENT} FROM event AS e WHERE id > $1 AND id < $2
              AND NOT EXISTS (SELECT FROM unnest($3::uuid[]) AS c(id) WHERE c.id = e.id)
            ORDER BY id LIMIT $4`,
    values: [first, beyond, listed, limit],
  });
  return rows;
}

/** Sorts before every other id. */
export const NO_ID = '00000000-0000-0000-0000-000000000000' as EventId;

/** Returns up to `limit` events after `after`, or from NO_ID, that are not in a range, in the order of their ids. */
export async function listOutside(
  pool: Pool,
  { first, beyond }: IdRange,
  after: string,
  limit: number,
): Promise<RecordedEvent[]> {
  const { rows } = await pool.query<RecordedEvent>({
    text: `SELECT ${EVENT} FROM event WHERE id ${after === NO_ID ? '>=' : '>'} $1 AND NOT (id > $2 AND id < $3) ORDER BY id LIMIT $4`,
    values: [after, first, beyond, limit],
  });
  return rows;
}
