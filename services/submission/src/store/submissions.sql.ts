// SQL, because reads that arrive together share a statement.
import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { groupCommit } from '@supplier/lib/runtime/group-commit';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { SubmissionState } from '../model/submission.ts';
import { STATE_COLUMNS, type StateRow, stateOf } from './submission-row.ts';

/** The account and environment whose submissions may be found. Staff may find any. */
export interface Tenant {
  readonly accountId: AccountId;
  readonly environment: Environment;
}

/** A submission with the digest of the body that created it; null once erased. */
export interface FoundByReference {
  readonly state: SubmissionState;
  readonly bodyDigest: Uint8Array | null;
}

/** Finds submissions for waiting callers. */
export interface SubmissionFinder {
  /** Finds a submission by id. Another tenant's counts as absent. */
  byId(id: SubmissionId, tenant: Tenant | undefined): Promise<SubmissionState | undefined>;
  /** Finds a submission by the supplier's reference. */
  byReference(tenant: Tenant, externalReference: string): Promise<FoundByReference | undefined>;
}

/** Two groups run concurrently: a stalled connection delays only the reads of its group. */
const READS = { maxGroup: 64, maxQueue: 4_000, lanes: 2 } as const;

/**
 * Creates a finder of submissions. Reads that arrive together, or while earlier ones are in progress, share one
 * statement. A read that finds 4,000 queued is refused as unavailable.
 */
export function submissionFinder(pool: pg.Pool): SubmissionFinder {
  const findById = grouped((ids: SubmissionId[]) => readByIds(pool, ids));
  const findByReference = grouped((keys: ReferenceKey[]) => readByReferences(pool, keys));
  return {
    async byId(id, tenant) {
      const row = await findById(id);
      return row && isOf(row, tenant) ? stateOf(row) : undefined;
    },
    async byReference({ accountId, environment }, externalReference) {
      const row = await findByReference({ accountId, environment, externalReference });
      return row && { state: stateOf(row), bodyDigest: row.body_digest };
    },
  };
}

function grouped<Key, Row>(flush: (keys: Key[]) => Promise<(Row | undefined)[]>) {
  return groupCommit({
    ...READS,
    flush,
    runAloneAfter: (error) => !isDependencyUnavailable(error),
    overloaded: () => refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.'),
  });
}

async function readByIds(pool: pg.Pool, ids: SubmissionId[]): Promise<(StateRow | undefined)[]> {
  const { rows } = await pool.query<StateRow>({
    name: 'find-submissions',
    text: `SELECT ${STATE_COLUMNS} FROM submission w WHERE w.id = ANY($1::uuid[])`,
    values: [ids],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

interface ReferenceKey extends Tenant {
  readonly externalReference: string;
}

type ReferenceRow = StateRow & { readonly place: string; readonly body_digest: Buffer | null };

/** Exported for a test of its plan. */
export const BY_REFERENCES = `
  SELECT g.place, ${STATE_COLUMNS}, w.body_digest
    FROM unnest($1::uuid[], $2::smallint[], $3::text[])
         WITH ORDINALITY AS g(account_id, environment, external_reference, place)
    JOIN submission w ON w.account_id = g.account_id AND w.environment = g.environment
                     AND w.external_reference = g.external_reference`;

async function readByReferences(pool: pg.Pool, keys: ReferenceKey[]): Promise<(ReferenceRow | undefined)[]> {
  const { rows } = await pool.query<ReferenceRow>({
    name: 'find-submissions-by-reference',
    text: BY_REFERENCES,
    values: [
      keys.map(({ accountId }) => accountId),
      keys.map(({ environment }) => environment),
      keys.map(({ externalReference }) => externalReference),
    ],
  });
  const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
  return keys.map((_, index) => byPlace.get(index + 1));
}

function isOf(row: StateRow, tenant: Tenant | undefined): boolean {
  return !tenant || (row.account_id === tenant.accountId && row.environment === tenant.environment);
}

/** Returns the submissions that exist, in no particular order. */
export async function findSubmissions(
  pool: pg.Pool,
  ids: readonly SubmissionId[],
): Promise<SubmissionState[]> {
  const rows = await readByIds(pool, [...new Set(ids)]);
  return rows.flatMap((row) => (row ? [stateOf(row)] : []));
}

/** Returns the owners of submissions, in the order of their ids. */
export async function ownersOf(
  tx: Pick<pg.PoolClient, 'query'>,
  ids: readonly string[],
): Promise<{ id: SubmissionId; account_id: AccountId }[]> {
  const { rows } = await tx.query<{ id: SubmissionId; account_id: AccountId }>({
    name: 'owners-of',
    text: 'SELECT id, account_id FROM submission WHERE id = ANY($1::uuid[]) ORDER BY id',
    values: [ids],
  });
  return rows;
}
